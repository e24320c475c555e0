"""sandbox-api.md, Running code and Helpers, line by line, in real containers."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case, ODD  # noqa: E402
from cordon_client import npm_server  # noqa: E402

IDIOMS = """
import asyncio, subprocess, threading
seen = []
async def main(word):
    await asyncio.sleep(0)
    seen.append(word)
    return word
await main("top")
asyncio.run(main("run"))
seen += await asyncio.gather(main("a"), main("b"))
thread = threading.Thread(target=lambda: asyncio.run(main("thread")))
thread.start(); thread.join()
seen.append(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
if __name__ == "__main__":
    seen.append("main")
print(*seen)
"""

STREAMS = r"""
import ctypes, os, subprocess, sys
print("one")
sys.stdout.buffer.write(b"two\n")
os.write(1, b"three\n")
subprocess.run(["echo", "four"])
ctypes.CDLL(None).puts(b"five")
ctypes.CDLL(None).fflush(None)
print()
print("()")
sys.stderr.write("wrong\n")
subprocess.run(["sh", "-c", "echo child >&2"])
os.write(1, b"nul\0byte, not \xff UTF-8, lone ")
print("\ud800", end="")
"""

SPAWN = """
import multiprocessing
def square(number):
    return number * number
if __name__ == "__main__":
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(square, [1, 2, 3]))
"""

OWN_DEFINITIONS = """
import dataclasses, inspect, pickle, typing
@dataclasses.dataclass
class Point:
    x: "int"
    y: typing.Optional["Point"] = None
def double(n):
    return n * 2   # twice
print(inspect.getsource(double), end="")
print(typing.get_type_hints(Point)["y"])
print(pickle.loads(pickle.dumps(Point(1, Point(2)))))
print("# twice" in open(__file__).read())
"""


class Running(Case):
    def test_await_asyncio_run_gather_threads_subprocess_and_main_in_one_program(self):
        self.assertEqual(self.check(IDIOMS), "top run a b a b thread child main\n")

    def test_the_value_of_a_last_expression(self):
        self.assertEqual(self.check("x = 20\nx + 1"), "21")
        self.assertEqual(self.check("print('a')\nNone"), "a\n")
        self.assertEqual(self.check("import asyncio\nawait asyncio.sleep(0, 'later')"), "'later'")
        self.assertIn("(no output)", self.check("x = 1"))

    def test_every_way_to_write_reaches_the_output_in_order(self):
        text = self.check(STREAMS)
        out, err = text.split("stderr:\n")
        self.assertEqual(out, "one\ntwo\nthree\nfour\nfive\n\n()\nnul\0byte, not \ufffd UTF-8, lone " + out[out.index("lone ") + 5:])
        self.assertRegex(out[out.index("lone ") + 5:], "^(\ufffd+|\\\\ud800)\n$")
        self.assertEqual(err, "wrong\nchild\n")

    def test_lines_without_an_end_and_lines_of_ten_mebibytes(self):
        self.assertEqual(self.check("print('no end', end='')"), "no end")
        result = self.cordon.run("import sys\nprint('before')\nsys.stdout.write('x' * (10 << 20) + '\\n')\nprint('after')")
        self.assertEqual(result.status, "success", result)
        self.assertTrue(result.text.startswith("before\nxxx"))
        self.assertTrue(result.text.endswith("xxx\nafter\n"))

    def test_libraries_find_a_real_stdout(self):
        self.assertEqual(self.check("import sys\nprint(sys.stdout.fileno(), sys.stdout.encoding, sys.stdout.isatty(), sys.stdout.writable())"),
                         "1 utf-8 False True\n")

    def test_input_is_at_its_end(self):
        self.fails("input()", "EOFError")
        self.assertEqual(self.check("import sys\nprint(repr(sys.stdin.read()))"), "''\n")

    def test_endings_say_how(self):
        self.assertEqual(self.check("import sys\nprint('x')\nsys.exit(0)"), "x\n")
        for code, words, facts in (
                ("import sys\nsys.exit(3)", "exit status 3", {"exitCode": 3}), ("import os\nos._exit(4)", "exit status 4", {"exitCode": 4}),
                ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", "killed by SIGTERM", {"signal": 15}),
                ("import ctypes\nctypes.string_at(0)", "killed by SIGSEGV", {"signal": 11}),
                ("import sys\nsys.exit('words')", "words", {"exitCode": 1}),
                ("import signal, time\nsignal.alarm(1)\ntime.sleep(30)", "killed by SIGALRM", {"signal": 14})):
            result = self.fails("print('before', flush=True)\n" + code, words, "before")
            with self.subTest(code):
                self.assertEqual({name: result.facts.get(name) for name in facts}, facts)

    def test_a_traceback_shows_the_user_s_lines_alone(self):
        result = self.fails("def outer():\n    inner()\n\ndef inner():\n    return 1 / 0  # here\n\nouter()")
        frames = [line.strip() for line in result.text.splitlines() if line.strip().startswith("File ")]
        self.assertEqual([frame.split(", line ")[1] for frame in frames], ["7, in <module>", "2, in outer", "5, in inner"])
        self.assertIn("return 1 / 0  # here", result.text)
        result = self.fails("import asyncio\nasync def f():\n    raise KeyError('k')\nawait f()")
        frames = [line for line in result.text.splitlines() if line.strip().startswith("File ")]
        self.assertEqual(len(frames), 2, result.text)

    def test_a_syntax_error_has_its_caret_below_the_place(self):
        lines = self.fails("x = 1\nif x = 2:\n    pass", "SyntaxError").text.splitlines()
        at = next(number for number, line in enumerate(lines) if "^" in line)
        self.assertEqual(lines[at - 1].strip(), "if x = 2:")
        self.assertIn(lines[at].index("^") - lines[at - 1].index("if"), (3, 5))  # Python 3.9 points at the sign

    def test_line_ends_marks_and_indentation_as_people_send_them(self):
        for code in ("\ufeffprint(1)\nprint(2)", "print(1)\r\nif 1:\r\n\tprint(2)\r\n", "print(1)\rprint(2)", "\n    print(1)\n    if 1:\n        print(2)\n", "print(1)\x0c\nprint(2)\n\n"):
            with self.subTest(code):
                self.assertEqual(self.check(code), "1\n2\n")

    def test_lines_are_counted_as_python_counts_them(self):
        result = self.fails("x = '\u2028\x85'  # \x0c \x1c\ndef f():\n    1 / 0  # the place\nf()", "1 / 0  # the place")
        self.assertIn("line 3, in f", result.text)

    def test_carets_beside_letters_that_are_not_ascii(self):
        for code, words in (("größe = 5 5", "5 5"), ("if 1:\n\tx = ('日本' 1)", "'日本' 1"), ("print('é', 1 2)", "1 2")):
            lines = self.fails(code, "SyntaxError").text.splitlines()
            at = next(number for number, line in enumerate(lines) if "^" in line)
            with self.subTest(code):
                self.assertIn(lines[at].index("^"), range(lines[at - 1].index(words), lines[at - 1].index(words) + len(words)))

    def test_a_coroutine_that_nobody_awaits_is_said_without_a_place_of_ours(self):
        text = self.check("async def main(): pass\nmain()")
        self.assertIn("RuntimeWarning: coroutine 'main' was never awaited\n", text)
        self.assertNotIn("cordon", text)

    def test_a_process_left_behind_is_killed_and_not_waited_for(self):
        result = self.cordon.run("import subprocess\nsubprocess.Popen(['sleep', '600'])\nprint('done')", timeout=60)
        self.assertEqual((result.status, result.text.splitlines()[0]), ("success", "done"))
        self.assertLess(result.facts["durationMs"], 50_000)

    def test_threads_are_joined_and_daemons_are_not(self):
        self.assertEqual(self.check("import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), print('joined'))).start()"), "joined\n")
        result = self.cordon.run("import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\nprint(1)", timeout=60)
        self.assertEqual((result.status, result.text), ("success", "1\n"))
        late = self.fails("import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()", timeout=2)
        self.assertEqual(late.status, "timeout")

    def test_multiprocessing_by_every_method(self):
        text = self.check(SPAWN, timeout=60)
        for method in ("fork", "spawn", "forkserver"):
            self.assertIn(method + " [1, 4, 9]", text)

    def test_spawn_with_top_level_await(self):
        self.assertEqual(self.value("import asyncio, multiprocessing\nawait asyncio.sleep(0)\ndef f(q): q.put(7)\ncontext = multiprocessing.get_context('spawn')\n"
                                    "q = context.Queue()\np = context.Process(target=f, args=(q,))\np.start()\nq.get(timeout=50)", timeout=60), "7")

    def test_what_the_code_itself_defined(self):
        text = self.check(OWN_DEFINITIONS)
        self.assertIn("def double(n):\n    return n * 2   # twice\n", text)
        self.assertIn("Point(x=1, y=Point(x=2, y=None))", text)
        self.assertEqual(text.splitlines()[-1], "True")

    def test_argv_and_faulthandler(self):
        self.assertEqual(self.value("import sys\nsys.argv"), "['<run_python>']")
        self.assertIn("in <module>", self.check("import faulthandler\nfaulthandler.dump_traceback()"))


class Helpers(Case):
    servers = {"odd": dict(ODD, description="odd tools"), "memory-box": npm_server("@modelcontextprotocol/server-memory", description="a graph"),
               "filesystem": npm_server("@modelcontextprotocol/server-filesystem", "/tmp"), "absent": {"command": "no-such-command-anywhere"}}

    def test_the_environment_names_the_servers(self):
        text = self.check("import json, os\nfor each in json.loads(os.environ['MCP_AVAILABLE_SERVERS']): print(each['name'], each['alias'], each.get('description'))")
        self.assertIn("odd odd odd tools\n", text)
        self.assertIn("memory-box memory_box a graph\n", text)

    def test_names_exist_without_import_and_with(self):
        self.assertEqual(self.value("import mcp.runtime as a\nfrom mcp import runtime as b\n"
                                    "[a is b is runtime is mcp.runtime, callable(save_tool), callable(display), 'odd' in mcp_servers]"),
                         "[True, True, True, True]")

    def test_discovered_servers(self):
        self.assertEqual(self.value("sorted(runtime.discovered_servers())"), "['absent', 'filesystem', 'memory-box', 'odd']")
        self.assertEqual(self.value("try: runtime.list_tools_sync('absent')\nexcept runtime.MCPError: pass\n"
                                    "found = {s['name']: s for s in runtime.discovered_servers(detailed=True)}\n"
                                    "[found['odd']['description'], 'no-such-command-anywhere' in str(found['absent']), 'state' in found['odd']]"),
                         "['odd tools', True, True]")

    def test_list_servers_gives_those_of_the_run(self):
        self.assertEqual(self.value("[await runtime.list_servers(), runtime.list_servers_sync()]", servers=["odd"]), "[['odd'], ['odd']]")

    def test_describe_and_metadata(self):
        self.assertEqual(self.value("one = runtime.describe_server('memory_box')\n"
                                    "tool = {t['name']: t for t in one['tools']}['create_entities']\n"
                                    "[one['name'], one['alias'], 'cwd' in one, sorted(tool), tool['input_schema']['type']]"),
                         "['memory-box', 'memory_box', True, ['alias', 'description', 'input_schema', 'name'], 'object']")
        self.assertEqual(self.value("found = {s['name']: s for s in runtime.list_loaded_server_metadata()}\n"
                                    "[len(found['memory-box']['tools']) > 5, 'error' in found['absent']]"), "[True, True]")

    def test_list_tools(self):
        self.assertEqual(self.value("a, b = await runtime.list_tools('memory-box'), runtime.list_tools_sync('memory_box')\n"
                                    "[a == b, 'read_graph' in [t['name'] for t in a]]"), "[True, True]")

    def test_tool_docs(self):
        self.assertEqual(self.value("short = await runtime.query_tool_docs('memory-box')\nfull = runtime.query_tool_docs_sync('memory-box', 'read_graph', 'full')\n"
                                    "[len(short) > 5, 'inputSchema' in short[0], 'inputSchema' in full[0], 'outputSchema' in full[0], full[0]['signature']]"),
                         "[True, False, True, True, 'read_graph()']")
        self.fails("await runtime.query_tool_docs('memory-box', 'read_grahp')", "read_graph")

    def test_search_is_tolerant(self):
        for words in ("create directory", "directories creating", "directory create", "create direcotry"):
            with self.subTest(words):
                self.assertEqual(self.value("[(d['server'], d['name']) for d in await runtime.search_tool_docs(%r, limit=1)]" % words),
                                 "[('filesystem', 'create_directory')]")
        self.assertEqual(self.value("len(runtime.search_tool_docs_sync('file', limit=3))"), "3")

    def test_calls_by_name(self):
        self.assertEqual(self.value("[await runtime.call_tool('odd', 'one', {'only': 1}), runtime.call_tool_sync('odd', 'one')]"),
                         "[{'tool': 'one', 'arguments': {'only': 1}}, {'tool': 'one', 'arguments': {}}]")

    def test_the_manual(self):
        self.assertIn("search_tool_docs", self.check("print(runtime.capability_summary())"))

    def test_proxies_in_each_of_their_forms(self):
        self.assertEqual(self.value("from mcp.servers.memory_box import *\nimport mcp.servers.odd as odd\n"
                                    "r = [await f() for f in (mcp_memory_box.read_graph, mcp_servers['memory-box'].read_graph, mcp_servers['memory_box']['read_graph'], read_graph)]\n"
                                    "[all(x == r[0] for x in r), (await odd.one(only=2))['arguments']]"), "[True, {'only': 2}]")

    def test_a_server_can_be_imported_by_the_name_that_it_has_without_import(self):
        self.assertEqual(self.value("import mcp_odd as odd\nfrom mcp_odd import one\nimport mcp_memory_box\n[odd is mcp_odd, (await one(1))['arguments'], (await odd['a-b']())['tool']]"),
                         "[True, {'only': 1}, 'a-b']")
        self.assertEqual(self.value("import mcp_odd\n(await mcp_odd.one(1))['tool']", session="imported"), "'one'")
        self.fails("import mcp_odd", "ModuleNotFoundError", servers=["memory-box"], session="imported")

    def test_import_star_hides_no_builtin_and_no_helper(self):
        self.assertEqual(self.value("import builtins\nbefore = runtime, mcp_servers, display\nfrom mcp.servers.odd import *\n"
                                    "[print is builtins.print, (runtime, mcp_servers, display) == before, callable(one)]"), "[True, True, True]")

    def test_help_and_signature(self):
        text = self.check("import inspect\nprint(inspect.signature(mcp_odd.first))\nhelp(mcp_odd.checked)\nhelp(mcp_odd)")
        self.assertIn("needed", text.splitlines()[0])
        for words in ("takes an issue", "Literal['bug', 'feature', 'question']", "says what it was called with"):
            self.assertIn(words, text)

    def test_sync_in_the_loop_in_a_thread_and_without_either(self):
        self.assertEqual(self.value(
            "import asyncio, threading\ngot = [mcp_odd.one.sync(only='plain')['arguments']['only']]\n"
            "async def inside():\n    got.append(mcp_odd.one.sync(only='coroutine')['arguments']['only'])\nawait inside()\n"
            "t = threading.Thread(target=lambda: got.append(mcp_odd.one.sync(only='thread')['arguments']['only']))\nt.start()\n"
            "await asyncio.sleep(0)\nt.join()\n"
            "u = threading.Thread(target=lambda: got.append(asyncio.run(inside()) or 'own loop'))\nu.start(); u.join()\ngot"),
            "['plain', 'coroutine', 'thread', 'coroutine', 'own loop']")

    def test_a_call_never_awaited_is_not_sent_and_said(self):
        before = int(self.value("await mcp_odd.calls()").strip("'"))
        text = self.check("mcp_odd.one(only=1)\nprint('done')")
        self.assertIn("mcp_odd.one", text)
        self.assertIn("await", text)
        self.assertEqual(int(self.value("await mcp_odd.calls()").strip("'")), before)

    def test_positional_arguments(self):
        self.assertEqual(self.value("[(await c)['arguments'] for c in (mcp_odd.one(5), mcp_odd.first('x'), mcp_odd.first({'needed': 1, 'optional': 2}))]"),
                         "[{'only': 5}, {'needed': 'x'}, {'needed': 1, 'optional': 2}]")
        self.fails("await mcp_odd.first(1, 2)", "TypeError", "by name", "needed")

    def test_parameters_that_are_no_identifiers_or_shadow(self):
        self.assertEqual(self.value(
            "got = (await mcp_odd.shadow(self=1, name=2, arguments=3, _target=4, server=5, tool=6, from_=7, class_=8, user_id=9, größe=10, positional=11))['arguments']\n"
            "[got[k] for k in ('self', 'name', 'arguments', '_target', 'server', 'tool', 'from', 'class', 'user-id', 'größe', 'positional')]"),
            str(list(range(1, 12))))
        self.assertEqual(self.value("(await mcp_odd.shadow(**{'name': 1, 'user-id': 2, 'from': 3, '': 4}))['arguments'] == {'name': 1, 'user-id': 2, 'from': 3, '': 4}"), "True")
        self.assertEqual(self.value("mcp_odd.shadow.sync(name='n', self='s')['arguments'] == {'name': 'n', 'self': 's'}"), "True")

    def test_tool_names_of_every_kind(self):
        sys.path.insert(0, os.path.dirname(ODD["args"][0]))
        from odd import NAMES
        self.assertEqual(self.value("[(await mcp_odd[name](word=name))['tool'] == name for name in %r] + "
                                    "[(await getattr(mcp_odd, t['alias'])(word=1))['tool'] == t['name'] for t in await runtime.list_tools('odd') "
                                    "if t['name'] in %r and not t['alias'].startswith('__')]" % (NAMES, NAMES)).count("False"), 0)
        for alias, name in (("class_", "class"), ("print", "print"), ("_1st", "1st"), ("a_b", "a_b")):
            with self.subTest(alias):
                self.assertEqual(self.value("(await mcp_odd.%s(word=1))['tool']" % alias), repr(name))

    def test_calls_in_flight_run_together(self):
        self.assertEqual(self.value("import asyncio\nawait asyncio.gather(*[mcp_odd.meet(number=n) for n in range(3)])"), "['0', '1', '2']")
        self.assertEqual(self.value("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(3) as pool: got = list(pool.map(lambda n: mcp_odd.meet.sync(number=n), range(3)))\ngot"),
                         "['0', '1', '2']")

    def test_schema_errors_name_path_given_allowed_and_nearest(self):
        for arguments, words in (
                ("title='Bug', point={'x': 1}, kind='bgu'", ("kind", "bgu", "bug", "feature")),
                ("title='Bug', point={'x': 'far'}", ("point", "x", "far", "number")),
                ("title='Bug', point={'x': 1}, labels=[{'label': 'a'}, {'label': 3}]", ("labels", "1", "label", "string")),
                ("title='Bug', point={'x': 1}, limit=1000", ("limit", "1000", "100")),
                ("titel='Bug', point={'x': 1}", ("titel", "title")),
                ("title='low', point={'x': 1}", ("title", "low", "^[A-Z]")),
                ("title='Bug'", ("point",))):
            with self.subTest(arguments):
                self.fails("await mcp_odd.checked(%s)" % arguments, *words)
        self.assertEqual(self.value("(await mcp_odd.checked(title='Bug', point={'x': 1, 'y': None}, kind='bug', limit=5))['tool']"), "'checked'")
        self.assertEqual(self.value("(await mcp_odd.unreadable(x='anything'))['tool']"), "'unreadable'")

    def test_an_unknown_tool_or_server_names_the_nearest(self):
        self.fails("await mcp_odd.frist('x')", "first")
        self.fails("await mcp_servers['memory-bx'].read_graph()", "memory-box")
        self.fails("print(1)", "filesystem", servers=["filesytem"])

    def test_no_frame_of_ours_in_the_traceback_of_a_call(self):
        result = self.fails("await mcp_odd.checked(title='x')")
        frames = [line.strip() for line in result.text.splitlines() if line.strip().startswith("File ")]
        self.assertEqual(len(frames), 1, result.text)

    def test_the_manual_s_aliases_do_not_depend_on_the_order(self):
        from cordon_client import Cordon
        ask = "[(t['name'], t['alias']) for t in sorted(runtime.list_tools_sync('odd'), key=lambda t: t['name'])]"
        with Cordon(servers={"odd": dict(ODD, args=ODD["args"] + ["reversed"])}) as backwards:
            self.assertEqual(backwards.run(ask).text.splitlines()[-1], self.value(ask))

    def test_a_set_of_servers_as_a_json_string(self):
        self.assertEqual(self.value("runtime.list_servers_sync()", servers=json.dumps(["odd", "memory-box"])), "['odd', 'memory-box']")

    def test_arguments_that_we_do_not_know_are_ignored(self):
        self.assertEqual(self.value("1 + 1", _client_extra={"a": 1}), "2")


if __name__ == "__main__":
    unittest.main()
