"""sandbox-api.md, What a call returns, What the client gets, and the caps of output, in real containers."""
import base64
import json
import os
import pathlib
import queue
import re
import select
import struct
import subprocess
import sys
import time
import tempfile
import termios
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case, ODD  # noqa: E402
from cordon_client import CORDON, Cordon, LIMIT, npm_server  # noqa: E402

PNG = base64.b64encode(bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc0f01f0005000"
    "1ff5fa1a5b30000000049454e44ae426082")).decode()
SHOW = "import base64\nclass Picture:\n    def _repr_png_(self): return base64.b64decode(%r)\n" % PNG
MIB = 1 << 20


def text(value):
    return {"type": "text", "text": value}


class Conversion(Case):
    """What a call returns, with servers that nobody of us wrote and one that gives what it is told."""

    servers = {"odd": ODD, "everything": npm_server("@modelcontextprotocol/server-everything"), "memory": npm_server("@modelcontextprotocol/server-memory")}

    def given(self, result, show="value", **arguments):
        return self.value("value = await mcp_odd.give(result=%r)\n%s" % (result, show), **arguments)

    def test_error_result_raises_with_all_that_the_server_said(self):
        result = {"isError": True, "content": [text("no such"), text("thing")], "structuredContent": {"code": 7}}
        self.assertEqual(self.value("try:\n    await mcp_odd.give(result=%r)\nexcept runtime.MCPError as e:\n    got = [isinstance(e, RuntimeError), e.server, e.tool, str(e), len(e.content)]\ngot" % result),
                         "[True, 'odd', 'give', 'no such\\nthing\\n{\"code\": 7}', 2]")
        self.fails("await mcp_odd.give(result=%r)" % result, "MCPError", "no such")

    def test_structured_content_is_the_value(self):
        self.assertEqual(self.given({"content": [text("else")], "structuredContent": {"a": [1, None]}}), "{'a': [1, None]}")
        self.assertIn("temperature", self.value("await mcp_everything.get_structured_content(location='Chicago')"))

    def test_one_json_text_is_parsed_and_other_text_is_a_string(self):
        self.assertEqual(self.given({"content": [text('{"a": [1, 2.5, "x"]}')]}), "{'a': [1, 2.5, 'x']}")
        self.assertEqual(self.given({"content": [text("[1, 2]")]}), "[1, 2]")
        for words in ("42", "true", "null", '"x"', "{no json"):
            self.assertEqual(self.given({"content": [text(words)]}), repr(words))
        self.assertEqual(self.given({"content": [text("a"), text("b")]}), "'a\\nb'")
        self.assertEqual(self.value("await mcp_everything.echo(message='zwölf')"), "'Echo: zwölf'")

    def test_nothing_is_none(self):
        self.assertEqual(self.given({"content": []}, "[value]"), "[None]")

    def test_an_image_of_server_everything(self):
        result = self.cordon.run("got = await mcp_everything.get_tiny_image()\nimage = next(x for x in got if hasattr(x, 'mime_type'))\n"
                                 "print([type(x).__name__ for x in got], image.mime_type, image.data[:4], open(image.save('a.png'), 'rb').read() == image.data)\ndisplay(image)")
        self.assertEqual(result.status, "success", result)
        self.assertIn("['str', 'Media', 'str'] image/png b'\\x89PNG' True", result.text)
        self.assertIn("[1 image follows]", result.text)
        self.assertEqual([block["type"] for block in result.blocks], ["text", "image"])
        self.assertEqual(base64.b64decode(result.blocks[1]["data"])[:4], b"\x89PNG")

    def test_audio_and_new_kinds_of_content(self):
        self.assertEqual(self.given({"content": [{"type": "audio", "data": "AAEC", "mimeType": "audio/wav"}]}, "[value.mime_type, value.data]"),
                         "['audio/wav', b'\\x00\\x01\\x02']")

    def test_embedded_and_linked_resources(self):
        got = self.value("got = await mcp_everything.get_resource_reference(resourceType='Text', resourceId=1)\n"
                         "r = next(x for x in got if hasattr(x, 'uri'))\n[r.uri, r.mime_type, type(r.text).__name__]")
        self.assertRegex(got, r"\['demo://.*', 'text/plain', 'str'\]")
        got = self.value("got = await mcp_everything.get_resource_reference(resourceType='Blob', resourceId=1)\n"
                         "r = next(x for x in got if hasattr(x, 'uri'))\ntype(r.data).__name__")
        self.assertEqual(got, "'bytes'")
        got = self.value("got = await mcp_everything.get_resource_links(count=2)\n[x.uri[:7] for x in got if hasattr(x, 'uri')]")
        self.assertEqual(got, "['demo://', 'demo://']")

    def test_annotated_content_keeps_its_annotations_raw(self):
        got = self.value("raw = await runtime.call_tool('everything', 'get-annotated-message', {'messageType': 'error', 'includeImage': True}, raw=True)\n"
                         "[raw['content'][0]['annotations']['priority'], raw['content'][1]['type']]")
        self.assertEqual(got, "[1, 'image']")
        self.assertEqual(self.value("got = await mcp_everything.get_annotated_message(messageType='error', includeImage=True)\nsorted(got[1].annotations)"),
                         "['audience', 'priority']")

    def test_a_memory_whose_structure_and_text_differ(self):
        self.assertEqual(self.value("await mcp_memory.create_entities(entities=[{'name': 'n', 'entityType': 't', 'observations': ['o']}])\n"
                                    "(await mcp_memory.read_graph())['entities'][0]['name']"), "'n'")

    def test_raw_gives_the_whole_result_also_of_an_error(self):
        result = {"isError": True, "content": [text("no")], "_meta": {"x": 1}}
        self.assertEqual(self.value("await runtime.call_tool('odd', 'give', {'result': %r}, raw=True) == %r" % (result, result)), "True")

    def test_a_tool_that_fails_its_own_output_schema_gives_what_it_gave(self):
        said = self.check("await mcp_odd.broken_promise()\nawait mcp_odd.broken_promise()")
        self.assertEqual(said, "{'n': 'no number'}\n[odd.broken_promise: its result is not as it declares: n: got \"no number\", expected integer]")

    def test_twenty_mebibytes_arrive_whole_and_sixty_five_are_refused_with_the_size(self):
        self.assertEqual(self.value("len(await mcp_odd.big(size=%d))" % (20 * MIB), timeout=60), str(20 * MIB))
        self.fails("await mcp_odd.big(size=%d)" % (65 * MIB), "ResultTooLarge", "a message of 6815", "64 MiB", timeout=60)
        self.assertEqual(self.value("len(await mcp_odd.big(size=10))"), "10")


class ToTheClient(Case):
    servers = {"odd": ODD, "everything": npm_server("@modelcontextprotocol/server-everything")}

    def test_the_text_is_what_a_terminal_shows(self):
        result = self.cordon.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\n'value'")
        self.assertEqual(result.text, "out\nstderr:\nerr\n'value'")
        self.assertFalse(result.is_error)
        self.assertIsNone(result.structured)
        self.assertNotIn("outputSchema", self.cordon.request("tools/list")["tools"][0])
        self.assertEqual(self.fails("import sys\nprint('x')\nsys.exit(3)").text.splitlines(), ["exit status 3", "x"])

    def test_the_facts(self):
        facts = self.cordon.run("await mcp_odd.one(1)\nprint('x' * 100_000)").facts
        self.assertEqual((facts["status"], facts["exitCode"], facts["timeoutSeconds"], facts["servers"], facts["toolCalls"]), ("success", 0, 30, ["odd"], 1))
        self.assertGreater(facts["durationMs"], 0)
        self.assertGreater(facts["peakMemoryBytes"], MIB)
        self.assertEqual(facts["truncatedBytes"], 100_001 - 30_000)
        self.assertLessEqual({"error", "signal", "servers", "toolCalls"} & set(self.cordon.run("1").facts), set())
        failed = self.cordon.run("raise ValueError('why')").facts
        self.assertEqual((failed["status"], failed["error"]), ("error", "ValueError: why"))

    def test_output_keeps_its_head_and_its_tail_and_counts_between(self):
        result = self.cordon.run("for i in range(20000): print('line', i, 'ü')")
        head, missing, tail = re.split(r"\n?… \[(\d+) bytes left out\] …\n", result.text)
        self.assertTrue(head.startswith("line 0 ü\n"))
        self.assertTrue(tail.endswith("line 19999 ü\n"))
        self.assertEqual((len(head), len(tail)), (20_000, 10_000))
        whole = sum(len(("line %d ü\n" % i).encode()) for i in range(20000))
        self.assertEqual(int(missing), whole - len(head.encode()) - len(tail.encode()))

    def test_each_stream_has_its_own_limit(self):
        result = self.cordon.run("import sys\nprint('e' * 100000, file=sys.stderr)\nprint('whole')")
        self.assertTrue(result.text.startswith("whole\nstderr:\neee"))
        self.assertIn("70001 bytes left out", result.text)

    def test_displayed_pictures_follow_within_bounds(self):
        result = self.cordon.run(SHOW + "for i in range(20): display(Picture())\nPicture()")
        self.assertEqual([block["type"] for block in result.blocks], ["text"] + ["image"] * 16)
        self.assertIn("16 images follow", result.text)
        self.assertIn("5 images left out: at most 16 are shown", result.text)
        self.assertEqual(result.blocks[1]["data"], PNG)
        self.assertEqual(result.blocks[1]["mimeType"], "image/png")

    def test_large_pictures_and_other_kinds_are_left_out_and_said(self):
        result = self.cordon.run("import base64, os\nstart = base64.b64decode(%r)[:8]\ndisplay(start + os.urandom(3 << 20))\ndisplay(start + os.urandom(3 << 20))\n"
                                 "display(start + b'small')\ndisplay(b'GIF89a')\ndisplay(start + bytes(17 << 20))" % PNG, timeout=60)
        self.assertEqual([len(block["data"]) for block in result.blocks[1:]], [4 * ((8 + (3 << 20) + 2) // 3), 20])
        for words in ("1 image left out: too large, 5 MiB of base64 are taken together", "1 image left out: the content is GIF, not PNG or JPEG", "a picture of 17825800 bytes was left out; at most 16777216", "2 images follow"):
            self.assertIn(words, result.text)

    def test_what_follows_a_picture_that_the_host_has_not_yet_taken_arrives(self):
        for _ in range(3):
            result = self.cordon.run("import base64, os\nstart = base64.b64decode(%r)[:8]\ndisplay(start + os.urandom(7 << 20))\ndisplay(start + b'small')\n42" % PNG, timeout=60)
            self.assertEqual([len(block["data"]) for block in result.blocks[1:]], [20], result)
            self.assertEqual(result.text.splitlines()[0], "42")

    def test_pictures_are_what_their_bytes_are(self):
        result = self.cordon.run("import base64\npng = %r\nfor data, kind in ((png, 'image/jpeg'), ('/9j/4AAQ', 'image/png'), ('', 'image/png'), ('!!', 'image/png'), ('AAAA', 'image/png'), (png, 'image/webp')):\n"
                                 "    display(await mcp_odd.give(result={'content': [{'type': 'image', 'data': data, 'mimeType': kind}]}))" % PNG)
        self.assertEqual([block["mimeType"] for block in result.blocks[1:]], ["image/png", "image/jpeg", "image/png"], result)
        for words in ("image left out: odd.give: the content of its image image/png cannot be decoded: it is no base64: it has '!'",
                      "1 image left out: the content is nothing, not PNG or JPEG", "1 image left out: the content is something else"):
            self.assertIn(words, result.text)

    def test_svg_is_text_within_the_limit_of_output(self):
        code = "class Drawing:\n    def __init__(self, text): self.text = text\n    def _repr_svg_(self): return self.text\n"
        self.assertEqual(self.check(code + "display(Drawing('<svg>ü</svg>'))\nprint('after')"), "after\n<svg>ü</svg>")
        text = self.check(code + "display(Drawing('<svg>' + 'x' * 40_000 + '</svg>'))\ndisplay(Drawing('<svg/>'))")
        self.assertTrue(text.startswith("<svg/>\n[1 SVG image left out: at most 100, 30000 bytes together;"), text)

    def test_other_things_are_displayed_as_text(self):
        self.assertEqual(self.check("display('text', {'a': 1}, [2])"), "text\n{'a': 1}\n[2]\n")

    def test_artifacts_are_resources_of_this_client(self):
        result = self.cordon.run("import os\nos.makedirs('/workspace/artifacts/deep', exist_ok=True)\nopen('/workspace/artifacts/a.csv', 'w').write('a,b\\n1,2\\n')\n"
                                 "open('/workspace/artifacts/deep/b.bin', 'wb').write(bytes(range(256)))\nopen('/workspace/artifacts/huge', 'wb').truncate(9 << 20)")
        self.assertEqual(result.status, "success", result)
        uris = re.findall(r"artifacts/(\S+): (\S+)\]", result.text)
        self.assertEqual({name for name, _ in uris}, {"a.csv", "deep/b.bin"})
        self.assertRegex(result.text, "huge was not taken: .*8388608")
        uris = dict(uris)
        listed = {each["uri"]: each for each in self.cordon.request("resources/list")["resources"]}
        self.assertEqual(listed[uris["a.csv"]]["mimeType"], "text/csv")
        self.assertEqual(self.cordon.request("resources/read", {"uri": uris["a.csv"]})["contents"][0]["text"], "a,b\n1,2\n")
        self.assertEqual(base64.b64decode(self.cordon.request("resources/read", {"uri": uris["deep/b.bin"]})["contents"][0]["blob"]), bytes(range(256)))
        with Cordon() as other:
            self.assertIn("error", other.answer("resources/read", {"uri": uris["a.csv"]}))

    def test_what_is_printed_slowly_is_shown_as_it_goes(self):
        self.slowly(11)

    def a_whole_minute(self):  # by name, in --full
        self.slowly(60)

    def slowly(self, seconds):
        """The last line, so far, every five seconds."""
        said = self.progress("import time\nfor i in range(%d):\n    print('line', i)\n    time.sleep(1)" % seconds, "line ", timeout=seconds + 40)
        lines = [int(each["message"].split()[1]) for each in said if each.get("message", "").startswith("line ")]
        self.assertEqual(lines, sorted(set(lines)), "each later than the one before")
        self.assertGreaterEqual(len(lines), seconds // 5 - 1)
        self.assertLessEqual(len(said), seconds // 2)

    def test_progress_from_code(self):
        said = self.progress("for i in range(3):\n    runtime.progress(i + 1, 3, 'file %d' % i)\nimport time\ntime.sleep(0.5)", "file 2")
        self.assertEqual([each["total"] for each in said if "file" in each.get("message", "")][-1:], [3])

    def test_progress_of_an_upstream_server(self):
        said = self.progress("await mcp_everything.trigger_long_running_operation(duration=4, steps=4)", "everything.trigger-long-running-operation: ", timeout=60)
        counts = [each["message"].rsplit("(")[-1] for each in said if each.get("message", "").startswith("everything.")]
        self.assertTrue({"2 of 4)", "3 of 4)"} & set(counts), said)

    def progress(self, code, words, **arguments):
        _, answer = self.cordon.start("tools/call", {"name": "run_python", "arguments": {"code": code, **arguments}, "_meta": {"progressToken": "token"}})
        self.assertFalse(answer.result(LIMIT * 3)["result"]["isError"])
        said = []
        while True:
            try:
                said.append(self.cordon.notifications.get(timeout=0.2)["params"])
            except queue.Empty:
                break
        self.assertTrue(said)
        self.assertEqual({each["progressToken"] for each in said}, {"token"})
        values = [each["progress"] for each in said]
        self.assertEqual(values, sorted(set(values)), "not rising")
        self.assertTrue(any(words in each.get("message", "") for each in said), said)
        return said

    def test_a_gibibyte_printed_at_full_speed_leaves_memory_flat(self):
        def resident():
            status = pathlib.Path("/proc", str(self.cordon.process.pid), "status").read_text()
            return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) << 10
        self.check("print('x' * 1000)")
        before, begun = resident(), time.monotonic()
        result = self.cordon.run("import os\npiece = b'x' * (1 << 20)\nfor i in range(1024):\n    left = piece\n    while left: left = left[os.write(1, left):]", timeout=120)
        self.assertEqual(result.status, "success", result.text[:300])
        grown, guest = resident() - before, result.facts["peakMemoryBytes"]
        print("\n1 GiB of output: %.1f s, Cordon's peak grew by %.1f MiB, the container's was %.1f MiB" % (time.monotonic() - begun, grown / MIB, guest / MIB), file=sys.stderr)
        self.assertLess(grown, 16 * MIB)
        self.assertLess(guest, 128 * MIB)
        self.assertIn("%d bytes left out" % ((1 << 30) - 30_000), result.text)


class Modes(unittest.TestCase):
    def test_structured_adds_everything(self):
        with Cordon(env={"MCP_BRIDGE_OUTPUT_MODE": "structured"}) as cordon:
            result = cordon.run("import sys\nprint('o')\nprint('e', file=sys.stderr)\n1 + 1")
            self.assertEqual(result.text, "o\nstderr:\ne\n2")
            self.assertEqual({name: result.structured[name] for name in ("status", "stdout", "stderr", "value", "exitCode")},
                             {"status": "success", "stdout": "o\n", "stderr": "e\n", "value": "2", "exitCode": 0})

    def test_toon_is_one_fenced_block(self):
        with Cordon(env={"MCP_BRIDGE_OUTPUT_MODE": "toon"}) as cordon:
            lines = cordon.run("print('o')\n1 + 1").text.splitlines()
            self.assertEqual((lines[0], lines[-1]), ("```toon", "```"))
            self.assertIn("status: success", lines)
            self.assertIn('stdout: "o\\n"', lines)

    def test_another_limit_of_output(self):
        with Cordon(env={"MCP_BRIDGE_MAX_OUTPUT": "3000"}) as cordon:
            result = cordon.run("print('x' * 10000)")
            self.assertIn("7001 bytes left out", result.text)


class ExecShows(unittest.TestCase):
    """`cordon exec` with pictures, without a terminal and in terminals that can show them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cordon-exec-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "program.py").write_text(SHOW + "display(Picture())\n")

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if name not in ("TERM", "TERM_PROGRAM", "LC_TERMINAL", "KITTY_WINDOW_ID", "TMUX")}
        return dict(kept, HOME=str(self.folder), MCP_BRIDGE_STATE_DIR=str(self.folder / "state"), **more)

    def test_a_file_whose_path_is_printed(self):
        for number in (1, 2):
            ended = subprocess.run([CORDON, "exec", "program.py"], cwd=self.folder, env=self.environment(TERM="xterm-kitty"), capture_output=True, text=True, timeout=LIMIT * 2)
            self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)
            path = pathlib.Path(re.search("cordon: image in (.*)", ended.stderr)[1])
            self.assertEqual(path.name, "cordon-%d.png" % number)
            self.assertEqual(path.parent.resolve(), self.folder.resolve())
            self.assertEqual(path.read_bytes(), base64.b64decode(PNG))

    def test_svg_is_a_file(self):
        (self.folder / "program.py").write_text("class Drawing:\n    def _repr_svg_(self): return '<svg/>'\nDrawing()\n")
        ended = subprocess.run([CORDON, "exec", "program.py"], cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=LIMIT * 2)
        self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)
        self.assertEqual(pathlib.Path(re.search("cordon: image in (.*)", ended.stderr)[1]).read_text(), "<svg/>")

    def in_terminal(self, answer=b"", **more):
        """What it shows in a terminal that says this when it is asked what it is."""
        ours, theirs = os.openpty()
        with open(ours, "r+b", buffering=0) as terminal, tempfile.TemporaryFile() as said:
            process = subprocess.Popen([CORDON, "exec", "program.py"], cwd=self.folder, env=self.environment(**more), stdout=theirs, stdin=subprocess.DEVNULL, stderr=said)
            echo = termios.tcgetattr(theirs)[3] & termios.ECHO
            shown = b""
            while process.poll() is None or select.select([terminal], [], [], 0)[0]:
                if select.select([terminal], [], [], 0.05)[0]:
                    shown += terminal.read(65536)
                    if shown.endswith(b"\x1b[c"):
                        terminal.write(answer)
            self.assertEqual(termios.tcgetattr(theirs)[3] & termios.ECHO, echo, "the terminal was not put back")
            os.close(theirs)
            said.seek(0)
            self.assertEqual(process.returncode, 0, said.read())
            return shown

    def test_inline_where_the_terminal_can(self):
        self.assertIn(b"\x1b_Ga=T,f=100,m=0;" + PNG.encode() + b"\x1b\\", self.in_terminal(TERM="xterm-kitty"))
        self.assertIn(b"\x1b]1337;File=inline=1:" + PNG.encode() + b"\x07", self.in_terminal(TERM="xterm-256color", TERM_PROGRAM="iTerm.app"))
        self.assertEqual(list(self.folder.glob("cordon-*.png")), [])
        self.assertNotIn(b"\x1b", self.in_terminal(TERM="dumb"))
        self.assertEqual(len(list(self.folder.glob("cordon-*.png"))), 1)

    def test_sixel_where_the_terminal_says_that_it_knows_it(self):
        rows = (b"\0" + b"\xff\0\0" * 20 + b"\0\0\xff" * 20) * 30
        (self.folder / "program.py").write_text("import struct, zlib\nclass Picture:\n    def _repr_png_(self):\n        chunk = lambda kind, body: struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))\n"
                                                "        return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 40, 30, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(%r)) + chunk(b'IEND', b'')\nPicture()" % rows)
        shown = self.in_terminal(b"\x1b[?62;4;22c", TERM="xterm-256color")
        sixel = re.search(rb"\x1bP.*?\x1b\\", shown, re.S)[0]
        for words in (b'"1;1;40;30', b"#180;2;100;0;0", b"#5;2;0;0;100", b"#180!20~!20?"):
            self.assertIn(words, sixel)
        png = subprocess.run(["sixel2png"], input=sixel, capture_output=True, check=True).stdout  # by a decoder that is not ours
        self.assertEqual(struct.unpack(">II", png[16:24]), (40, 30))
        self.assertEqual(list(self.folder.glob("cordon-*.png")), [])
        for answer in (b"typed\x1b[?62;14;22c", b""):
            self.assertNotIn(b"\x1bP", self.in_terminal(answer, TERM="xterm-256color"))
        self.assertEqual(len(list(self.folder.glob("cordon-*.png"))), 2)


if __name__ == "__main__":
    unittest.main()
