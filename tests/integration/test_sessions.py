"""sandbox-api.md, Sessions and saved tools, in real containers."""
import os
import pathlib
import signal
import stat
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case, ODD  # noqa: E402
from cordon_client import Cordon, cpu_seconds, descendants, Engine, LIMIT, until  # noqa: E402

BURNS = """import os, subprocess, threading, time
ticks = []
def burn():
    while True: ticks.append(time.monotonic())
threading.Thread(target=burn, daemon=True).start()
subprocess.Popen(["sh", "-c", "while :; do :; done"])
os.fork() or burn()
None
"""


class Sessions(Case):
    servers = {"odd": ODD}

    def test_variables_imports_and_files_stay(self):
        self.assertEqual(self.check("import math\nx = 41\nopen('kept', 'w').write('file')\ndef f(): return x + 1\nNone", session="a"), "(no output)")
        self.assertEqual(self.check("print(math.pi > 3, f(), open('kept').read())", session="a"), "True 42 file\n")

    def test_without_a_name_or_with_another_nothing_is_there(self):
        self.check("only_here = 1", session="b")
        self.fails("only_here", "NameError")
        self.fails("only_here", "NameError", session="c")

    def test_an_error_leaves_the_session_alive(self):
        self.check("y = 5", session="d")
        self.fails("1 / 0", "ZeroDivisionError", session="d")
        self.assertEqual(self.check("y", session="d"), "5")

    def test_calls_of_servers_work_in_each_execution(self):
        self.assertEqual(self.value("(await mcp_odd.one(1))['arguments']", session="e"), "{'only': 1}")
        self.assertEqual(self.value("kept = mcp_odd\n(await kept.one(2))['arguments']", session="e"), "{'only': 2}")
        self.fails("await kept.one(3)", session="e", servers=[])

    def test_two_calls_in_one_session_run_one_after_the_other(self):
        self.check("seen = []", session="f")
        runs = [self.cordon.start_run("import time\nseen.append('in')\ntime.sleep(0.3)\nseen.append('out')", session="f")[1] for _ in range(3)]
        for run in runs:
            self.assertFalse(run.result(LIMIT)["result"]["isError"])
        self.assertEqual(self.check("seen", session="f"), str(["in", "out"] * 3))

    def test_two_sessions_run_together(self):
        runs = [self.cordon.start_run("import asyncio\nawait mcp_odd.meet(number=1)", session=name)[1] for name in ("g", "h", "i")]
        for run in runs:
            self.assertFalse(run.result(LIMIT)["result"]["isError"])

    def test_after_sys_exit_or_death_the_next_call_begins_anew_and_says_so(self):
        for name, end in (("os._exit", "import os\nos._exit(3)"), ("signal", "import os\nos.kill(os.getpid(), 9)"), ("timeout", "while True: pass")):
            self.check("z = 1", session=name)
            with self.subTest(name):
                self.fails(end, session=name, **({"timeout": 1} if name == "timeout" else {}))
                text = self.check("print('z' in globals())", session=name)
                self.assertEqual(text.splitlines()[0], "False")
                self.assertIn('session "%s" begins anew: ' % name, text)
                self.assertNotIn("begins anew", self.check("print(1)", session=name))

    def test_an_interpreter_that_dies_between_two_calls(self):
        with Cordon(env={"MCP_BRIDGE_POOL": "0"}) as cordon:
            self.assertEqual(cordon.run("z = 1\nprint(z)", session="between").text, "1\n")
            first, worker = self.engine.processes(*cordon.containers(self.engine))
            os.kill(worker, signal.SIGKILL)  # as the kernel does where memory is short
            until(lambda: worker not in descendants(first))
            text = cordon.run("print('z' in globals())", session="between").text
            self.assertEqual(text.splitlines()[0], "False")
            self.assertIn('session "between" begins anew: its interpreter ended', text)
            self.assertEqual(cordon.run("print(2)", session="between").text, "2\n")

    def test_between_two_calls_it_takes_no_time_and_goes_on_with_the_next(self):
        with Cordon(env={"MCP_BRIDGE_POOL": "0"}) as cordon:
            self.assertFalse(cordon.run(BURNS, session="burns").is_error)
            inside = [pid for name in cordon.containers(self.engine) for pid in self.engine.processes(name)]
            self.assertTrue(inside)
            for code in ("print(len(ticks) > 0)", "ticks.clear(); time.sleep(0.2); print(len(ticks) > 0)"):
                self.assertEqual(cordon.run(code, session="burns").text, "True\n")
                before = sum(map(cpu_seconds, inside))
                time.sleep(1.5)
                self.assertLess(sum(map(cpu_seconds, inside)) - before, 0.1)


class Ends(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()

    def test_an_idle_session_ends_and_the_next_call_is_told(self):
        with Cordon(env={"MCP_BRIDGE_SESSION_IDLE": "1", "MCP_BRIDGE_POOL": "0"}) as cordon:
            cordon.run("x = 1", session="s")
            until(lambda: not cordon.containers(self.engine))
            self.assertIn('session "s" begins anew: it was idle for 1 s', cordon.run("print(1)", session="s").text)

    def test_a_session_of_two_hours_ends_and_the_next_call_is_told(self):
        library = next(iter(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1")))
        with tempfile.NamedTemporaryFile("wb", buffering=0) as clock:  # it says how far Cordon's clocks are ahead
            clock.write(b"+0")
            with Cordon(env={"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": clock.name, "FAKETIME_NO_CACHE": "1", "MCP_BRIDGE_SESSION_IDLE": "7200", "MCP_BRIDGE_POOL": "0"}) as cordon:
                cordon.run("x = 1", session="s")
                for ahead in (b"+3000", b"+6000"):
                    os.pwrite(clock.fileno(), ahead, 0)
                    self.assertEqual(cordon.run("x", session="s").text, "1")
                os.pwrite(clock.fileno(), b"+7300", 0)
                self.assertEqual(cordon.run("'x' in globals()", session="s").text, 'False\n[session "s" begins anew: it was two hours old]')
                self.assertEqual(cordon.run("print(2)", session="s").text, "2\n")

    def test_when_room_is_needed_the_one_idle_longest_ends(self):
        with Cordon("--max-containers", "2", env={"MCP_BRIDGE_POOL": "0"}) as cordon:
            for name in ("old", "young"):
                cordon.run("x = 1", session=name)
            cordon.run("x", session="old")  # now the other one is idle longer
            self.assertEqual(cordon.run("print('room')").text, "room\n")
            self.assertEqual(cordon.run("x", session="old").text, "1")
            self.assertIn('session "young" begins anew: room was needed', cordon.run("print(1)", session="young").text)

    def test_a_session_belongs_to_its_client_and_ends_with_it(self):
        with Cordon() as one, Cordon() as other:
            one.run("x = 1", session="s")
            self.assertIn("NameError", other.run("x", session="s").text)
            instances = one.instances()
            self.assertEqual(one.end(), 0)
            until(lambda: not [n for i in instances for n in self.engine.containers("io.cordon.instance=" + i)])


SAVED = """
import functools, math
FACTOR = 2
def loud(function):
    @functools.wraps(function)
    def inner(*arguments, **named):
        return "loud", function(*arguments, **named)
    return inner

@save_tool
@loud
def area(radius, factor=FACTOR, *, unit="m"):
    return "%.1f %s" % (math.pi * radius ** 2 * factor, unit)
"""


SEVERAL = """
import asyncio, functools
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
async def later(a, *, b: int = 3, **rest) -> list:
    await asyncio.sleep(0)
    return [a, b, rest]
if True:
    def lines():
        return '''\\
left
        right
'''
for each in (later, fib, lines): save_tool(each)
None
"""


class Saved(Case):
    def test_a_function_with_imports_decorators_and_defaults(self):
        self.assertIn("saved tool area", self.check(SAVED))
        self.assertEqual(self.check("from mcp.tools import area\narea(1)"), "('loud', '6.3 m')")
        self.assertIn("which replaced an earlier one", self.check(SAVED))

    def test_several_are_loaded_each_by_its_own_name(self):
        self.check(SEVERAL)
        self.assertEqual(self.check("from mcp.tools import lines, later, fib\nprint([lines(), await later(1, c=2), fib(20)])"),
                         "['left\\n        right\\n', [1, 3, {'c': 2}], 6765]\n")
        self.assertEqual(self.check("from mcp.tools import *\nimport mcp.tools\nprint(fib(10), lines is mcp.tools.lines, {'fib', 'later', 'lines'} <= set(dir(mcp.tools)))"), "55 True True\n")

    def test_a_session_loads_what_another_run_has_replaced_meanwhile(self):
        for number in (1, 2):
            self.check("def changing(): return %d\nsave_tool(changing)\nNone" % number)
            self.assertEqual(self.check("from mcp.tools import changing\nchanging()", session="long"), str(number))

    def test_source_that_does_not_parse_is_refused(self):
        for code in ("import inspect\ndef f(): return 1\ninspect.getsource = lambda function: 'def f(:'\nsave_tool(f)",
                     "import linecache\ndef f():\n    return 1\nlinecache.cache[__file__] = 1, None, ['x\\n', 'def f(:\\n', ' 1\\n'], __file__\nsave_tool(f)",
                     "import asyncio\nx = await asyncio.sleep(0, 5)\ndef f(): return x\nsave_tool(f)"):
            self.fails(code, "ValueError: the source of f does not parse, so it is not saved")
        self.fails("names = {}\nexec('def f(): pass', names)\nsave_tool(names['f'])", "the source of f is not known")
        self.assertNotIn("'f'", self.check("[tool['name'] for tool in runtime.saved_tools()]"))

    def test_nothing_runs_by_itself_and_all_can_be_listed_and_removed(self):
        self.check("def printer():\n    print('ran')\nsave_tool(printer)\nNone")
        self.assertEqual(self.check("print('only this')"), "only this\n")
        self.assertEqual(self.check("[(t['name'], 'ran' in t['source']) for t in runtime.saved_tools() if t['name'] == 'printer']"), "[('printer', True)]")
        self.assertEqual(self.check("[runtime.delete_tool('printer'), runtime.delete_tool('printer')]"), "[True, False]")
        self.fails("from mcp.tools import printer", "printer")

    def test_names_and_sizes_are_checked_on_the_host(self):
        self.fails("def Upper(): pass\nsave_tool(Upper)", "Upper", "small letters")
        self.fails("save_tool(lambda: 1)", "def")
        self.fails("def big():\n    return '%s'\nsave_tool(big)" % ("x" * 70_000), "70025 bytes", "65536")

    def test_the_files_are_the_user_s_alone(self):
        self.check("def mine(): pass\nsave_tool(mine)\nNone")
        files = [path for path in pathlib.Path(self.cordon.home.name).rglob("*") if path.is_file() and b"def mine" in path.read_bytes()]
        self.assertTrue(files)
        for file in files:
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)

    def test_off_by_a_setting(self):
        with Cordon(env={"MCP_BRIDGE_SAVED_TOOLS": "0"}) as cordon:
            self.assertIn("CORDON_SAVED_TOOLS", cordon.run("def f(): pass\nsave_tool(f)").text)


if __name__ == "__main__":
    unittest.main()
