"""Answers of upstream servers that are not as they should be: taken where ordinary parsers take them, else the call fails at once and says why."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cordon_case import Case  # noqa: E402
from cordon_client import CORDON, LIMIT, ROOT  # noqa: E402

RAW = str(ROOT / "tests" / "fakes" / "raw.py")
DEEP = "[" * 600 + "]" * 600


def answer(value, id="@", head='"jsonrpc":"2.0",'):
    return '{%s"id":%s,"result":{"content":[],"structuredContent":{"v":%s}}}' % (head, id, value)


# What the server sends; what code makes of it; what the notes say.
TAKEN = [
    ("\xef\xbb\xbf" + answer("1"), "1", "a byte order mark before them"),
    (answer("[NaN,1e400,-Infinity,null]"), "[nan, inf, -inf, None]", "NaN or Infinity"),
    (answer("[1e400]"), "[inf]", "numbers beyond a double"),
    (answer('"a\tb\x01"'), r"'a\tb\x01'", "raw control characters"),
    (answer('"caf\xe9"'), "'café'", "taken as Latin-1"),
    (answer('"\xc3\xa9\xe9"'), "'é\ufffd'", "replaced by U+FFFD"),
    (answer('{"a":1,"a":2}'), "{'a': 2}", "repeated keys"),
    (answer("1", head=""), "1", 'answers without "jsonrpc"'),
    (answer("1", id="@.0"), "1", "ids such as 1.0"),
    (answer("1", id='"@"'), "1", None),
    (answer("1" + "0" * 400), "1" + "0" * 400, None),
    (answer("123456789012345678901"), "123456789012345678901", None),
    (answer('"%s"' % ("x" * 300_000 + "\t")), None, "raw control characters"),
]
# What the server sends; what the error says.
FAILED = [
    (answer(DEEP), "nested too deeply, near "),
    ('{"result":%s,"id":@,"jsonrpc":"2.0"}' % DEEP, "nested too deeply, near "),
    (answer("{'a':1}"), "bad JSON at byte "),
    (answer('"\\x41"'), "Invalid escape character in string"),
    ('{"jsonrpc":"2.0","id":@,"result":{"content":[', "bad JSON at byte "),
    ('{"jsonrpc":"2.0","id":@}', "exactly one of"),
]


class Answers(Case):
    @classmethod
    def setUpClass(cls):
        cls.web = subprocess.Popen([sys.executable, RAW, "http"], stdout=subprocess.PIPE, text=True)
        port = int(cls.web.stdout.readline())
        cls.servers = {"raw": {"command": sys.executable, "args": [RAW]}, "web": {"type": "http", "url": "http://127.0.0.1:%d/mcp" % port}}
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.web.kill()
            cls.web.wait()
            cls.web.stdout.close()

    ways = [("raw", ""), ("web", ""), ("web", ", sse=True")]

    def test_taken_as_ordinary_parsers_take_it(self):
        for server, more in self.ways:
            for sent, value, note in TAKEN:
                with self.subTest(server=server, more=more, sent=sent[:60]):
                    began = time.monotonic()
                    text = self.check("r = await mcp_%s.give(answer=%r%s)\nv = r['v']\nprint(repr(v) if len(repr(v)) < 1000 else len(v))" % (server, sent, more))
                    self.assertLess(time.monotonic() - began, 10)
                    self.assertIn(value or "300001", text)
                    self.assertEqual("%s.give: its answer was not as it should be: " % server in text, note is not None, text)
                    self.assertIn(note or "", text)

    def test_what_cannot_be_taken_fails_at_once_and_says_what_is_wrong(self):
        for server, more in self.ways:
            for sent, words in FAILED:
                with self.subTest(server=server, more=more, sent=sent[:60]):
                    began = time.monotonic()
                    text = self.check("try:\n    await mcp_%s.give(answer=%r%s)\nexcept Exception as error:\n    print(error)\nprint(await mcp_%s.ping())"
                                      % (server, sent, more, server))
                    self.assertLess(time.monotonic() - began, 10)
                    self.assertIn("%s.give: its answer cannot be read: " % server, text)
                    self.assertIn(words, text)
                    self.assertIn("pong", text)

    def test_over_http_whatever_came_is_the_answer(self):
        for sent in ("<html>busy</html>", "[", '{"jsonrpc":"2.0","id":77777,"result":{}}', "[]", " "):
            with self.subTest(sent=sent):
                began = time.monotonic()
                text = self.check("try:\n    await mcp_web.give(answer=%r)\nexcept Exception as error:\n    print(error)" % sent)
                self.assertLess(time.monotonic() - began, 10)
                self.assertIn("web.give: ", text)

    def test_other_calls_are_not_harmed(self):
        text = self.check("import asyncio\nprint(await asyncio.gather(mcp_raw.give(answer=%r), mcp_raw.ping(), mcp_raw.give(answer=%r), return_exceptions=True))"
                          % (answer(DEEP), answer("NaN")))
        self.assertIn("nested too deeply", text)
        self.assertIn("pong", text)
        self.assertIn("nan", text)


class Lists(unittest.TestCase):
    """No engine."""

    def listed(self, *command):
        with tempfile.TemporaryDirectory(prefix="cordon-answers-") as folder:
            (pathlib.Path(folder) / "MCPs").mkdir()
            (pathlib.Path(folder) / "MCPs" / "mine.json").write_text(json.dumps({"mcpServers": {"raw": {"command": sys.executable, "args": [RAW]}}}))
            environment = dict(os.environ, HOME=folder)
            return subprocess.run([CORDON, *command], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT * 2)

    def test_the_one_tool_is_lost_and_it_is_told(self):
        ended = self.listed("servers", "--json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        server, = json.loads(ended.stdout)["servers"]
        self.assertEqual([tool["name"] for tool in server["tools"]], ["give", "ping"])
        warnings = "\n".join(server["warnings"])
        self.assertIn("taken as Latin-1", warnings)
        self.assertIn('tool "deep" is left out: it cannot be read: nested too deeply', warnings)
        self.assertIn("is left out: it is not an object", warnings)
        text = self.listed("servers").stdout
        self.assertIn('  odd: tool "deep" is left out', text)
        self.assertEqual(text.count("taken as Latin-1"), 1)

    def test_doctor_tells_it_too(self):
        self.assertIn('server "raw" is odd: tool "deep" is left out', self.listed("doctor").stdout)
        notes = json.loads(self.listed("doctor", "--json").stdout)["serverNotes"]
        self.assertTrue([note for note in notes if "taken as Latin-1" in note], notes)


class Notes(Case):
    servers = {"raw": {"command": sys.executable, "args": [RAW]}}

    def test_the_run_that_starts_a_server_is_told_of_its_tools(self):
        text = self.check("print(await mcp_raw.ping())")
        self.assertIn('server "raw": tool "deep" is left out', text)
        self.assertNotIn("left out", self.check("print(await mcp_raw.ping())"))


if __name__ == "__main__":
    unittest.main()
