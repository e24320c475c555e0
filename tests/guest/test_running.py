"""System: programs as people and models write them, in the real guest."""
import unittest

from host import Guest


def run(code, **options):
    with Guest() as guest:
        return guest.run(code, **options)


class Idioms(unittest.TestCase):
    def check(self, code, stdout=None, value=None, stderr="", status="success", **options):
        result = run(code, **options)
        self.assertEqual(result.status, status, result)
        if stdout is not None:
            self.assertEqual(result.stdout, stdout, result)
        if stderr is not None:
            self.assertEqual(result.stderr, stderr, result)
        self.assertEqual(result.value, value, result)
        return result

    def test_prints(self):
        self.check("print('a')\nprint()\nprint('()')\nprint('b', end='')", "a\n\n()\nb")

    def test_last_expression_is_the_value(self):
        self.check("x = 20\nx + 1", "", "21")

    def test_none_is_no_value(self):
        self.check("print('x')", "x\n")

    def test_a_semicolon_hides_the_value(self):
        self.check("x = 1\nx;", "")

    def test_a_lone_string_is_a_value_and_the_doc(self):
        self.check("'hello'", "", "'hello'")

    def test_empty_program(self):
        self.check("", "")
        self.check("# only a comment", "")

    def test_asyncio_run(self):
        self.check("import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    print('ran')\n    return 5\n"
                   "asyncio.run(main())", "ran\n", "5")

    def test_top_level_await(self):
        self.check("import asyncio\nawait asyncio.sleep(0)\nx = await asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2))\nx",
                   "", "[1, 2]")

    def test_top_level_async_for_and_with(self):
        self.check("import asyncio\nasync def numbers():\n    yield 1\n    yield 2\nasync for n in numbers(): print(n)\n"
                   "async with asyncio.Lock(): print('held')\n[n async for n in numbers()]", "1\n2\nheld\n", "[1, 2]")

    def test_both_kinds_of_loop_in_one_program(self):
        self.check("""
import asyncio
async def inner():
    await asyncio.sleep(0.01)
    return asyncio.current_task() is not None
print(await inner())
print(asyncio.run(inner()))
loop = asyncio.new_event_loop()
print(loop.run_until_complete(inner()))
loop.close()
print(asyncio.get_event_loop().run_until_complete(inner()))
outer = asyncio.current_task()
asyncio.run(inner())
print(asyncio.current_task() is outer, asyncio.get_running_loop() is not None)
async def nested(): return asyncio.run(asyncio.sleep(0))
try:
    asyncio.run(nested())
except RuntimeError:
    print('a loop in an inner loop is refused, like everywhere')
await asyncio.wait_for(inner(), 5)
""", None, "True", stderr=None)

    def test_runner(self):
        self.check("""
import asyncio, sys
await asyncio.sleep(0)
if sys.version_info >= (3, 11):
    with asyncio.Runner() as runner:
        print(runner.run(asyncio.sleep(0, 'a')), runner.run(asyncio.sleep(0, 'b')))
else:
    print('a b')
""", "a b\n")

    def test_background_tasks_are_cancelled_at_the_end(self):
        self.check("""
import asyncio
async def forever():
    try:
        await asyncio.sleep(1000)
    finally:
        print('cleaned up')
task = asyncio.create_task(forever())
await asyncio.sleep(0.01)
""", "cleaned up\n")

    def test_loop_survives_awaits_after_inner_run_with_timers(self):
        self.check("""
import asyncio
async def tick(): 
    for _ in range(3): await asyncio.sleep(0.01)
    return 'ticked'
task = asyncio.create_task(tick())
await asyncio.sleep(0)
asyncio.run(asyncio.sleep(0.05))
await task
""", "", "'ticked'")

    def test_threads_are_joined(self):
        self.check("import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()\nprint('early')",
                   "early\nlate\n")

    def test_daemon_threads_are_not_waited_for(self):
        self.check("import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('x')", "x\n")

    def test_main_guard_and_argv(self):
        self.check("import sys\nif __name__ == '__main__':\n    print(sys.argv)", "['<run_python>']\n")

    def test_input_is_at_its_end(self):
        result = self.check("input()", "", stderr=None, status="error")
        self.assertIn("EOFError", result.error)

    def test_exit_codes(self):
        for code, status, number in (("0", "success", 0), ("3", "error", 3), ("None", "success", 0), ("256 + 7", "error", 7)):
            result = self.check("import sys\nprint('x')\nsys.exit(%s)" % code, "x\n", status=status)
            self.assertEqual((result.exit_code, result.error), (number, None))

    def test_exit_with_words(self):
        result = self.check("import sys\nsys.exit('no luck')", "", stderr="no luck\n", status="error")
        self.assertEqual(result.exit_code, 1)

    def test_exit_inside_a_coroutine_and_a_task(self):
        self.assertEqual(run("import sys, asyncio\nawait asyncio.sleep(0)\nsys.exit(4)").exit_code, 4)
        self.assertEqual(run("import sys, asyncio\nasync def f(): sys.exit(5)\nawait asyncio.create_task(f())").exit_code, 5)

    def test_exit_builtins(self):
        self.assertEqual(run("exit(2)").exit_code, 2)

    def test_children_and_prints_in_order(self):
        self.check("""
import subprocess, os, sys
print('1', end='')
subprocess.run(['echo', '2'])
print('3')
sys.stdout.buffer.write(b'4\\n')
os.write(1, b'5\\n')
print(subprocess.run(['echo', '6'], capture_output=True, text=True).stdout, end='')
os.system('echo 7')
import ctypes
ctypes.CDLL(None).printf(b'8')
print('9', file=sys.stdout)
subprocess.run('echo e1 >&2', shell=True)
print('e2', file=sys.stderr)
""", "12\n3\n4\n5\n6\n7\n89\n", stderr="e1\ne2\n")

    def test_stdout_is_a_real_file(self):
        self.check("import sys, os\nprint(sys.stdout.fileno(), sys.stdout.encoding, sys.stdout.isatty(), sys.stdout.buffer.raw is not None,"
                   " sys.stdout.name, sys.stdout.mode, sys.stdin.fileno(), sys.stderr.fileno())",
                   "1 utf-8 False True <stdout> w 0 2\n")

    def test_bytes_and_odd_characters(self):
        self.check("import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\x00ok\\n')\nprint('\\ud800')\nprint('\u00e9\U0001f600')",
                   "\ufffd\ufffd\x00ok\n\\ud800\n\u00e9\U0001f600\n")

    def test_very_long_line(self):
        result = self.check("print('x' * 10_000_000)")
        self.assertEqual(result.answer["stdout"]["total_bytes"], 10_000_001)
        self.assertEqual(result.stdout, "x" * 15000 + "[9970001 bytes]" + "x" * 14999 + "\n")

    def test_subprocess_of_this_python(self):
        self.check("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(6*7)'], check=True).returncode",
                   "42\n", "0")

    def test_atexit_and_destructors_and_unclosed_files(self):
        self.check("""
import atexit, os
class Thing:
    def __del__(self): print('gone')
thing = Thing()
cycle = Thing(); cycle.me = cycle
f = open('left_open.txt', 'w'); f.write('kept')
os.makedirs('artifacts', exist_ok=True)
atexit.register(print, 'at exit')
print('body')
""", "body\nat exit\ngone\ngone\n")

    def test_artifact_of_a_file_left_open(self):
        import base64
        result = self.check("f = open('artifacts/a.txt', 'w'); f.write('kept')\nNone")
        self.assertEqual([(a["name"], base64.b64decode(a["data"])) for a in result.sent("artifact")], [("a.txt", b"kept")])

    def test_modules_written_by_the_program(self):
        self.check("open('helper.py', 'w').write('x = 5')\nimport helper\nhelper.x", "", "5")

    def test_signal_alarm(self):
        self.check("""
import signal, time
def ring(*a): raise TimeoutError('rang')
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    time.sleep(10)
except TimeoutError as e:
    print(e)
""", "rang\n")

    def test_own_definitions(self):
        self.check("""
import pickle, dataclasses, typing, inspect
@dataclasses.dataclass
class Point:
    x: int
    y: 'int' = 2
def f(a: int) -> 'Point':
    # says so
    return Point(a)
print(pickle.loads(pickle.dumps(f(1))))
print(typing.get_type_hints(f) == {'a': int, 'return': Point}, dataclasses.asdict(f(3)))
print(inspect.getsource(f), end='')
print(inspect.getsource(Point).splitlines()[0])
print(__file__.endswith('.py'), open(__file__).read().count('says so'))
""", "Point(x=1, y=2)\nTrue {'x': 3, 'y': 2}\ndef f(a: int) -> 'Point':\n    # says so\n    return Point(a)\n@dataclasses.dataclass\nTrue 2\n")

    def test_future_annotations_reach_the_last_expression(self):
        self.check("from __future__ import annotations\ndef f(x: nothing): pass\n(lambda: f.__annotations__)()", "", "{'x': 'nothing'}")

    def test_multiprocessing(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                self.check("""
import multiprocessing as mp
def double(x): return 2 * x
if __name__ == '__main__':
    with mp.get_context(%r).Pool(2) as pool:
        print(pool.map(double, [1, 2, 3]))
""" % method, "[2, 4, 6]\n")

    def test_spawned_children_may_import_the_helpers(self):
        self.check("""
import multiprocessing as mp, mcp.runtime
from mcp import runtime
from mcp.runtime import MCPError, call_tool
def try_it(x):
    try:
        runtime.call_tool_sync('a', 'b')
    except MCPError: return 'wrong'
    except RuntimeError as e: return 'child' in str(e)
if __name__ == '__main__':
    with mp.get_context('spawn').Pool(1) as pool: print(pool.map(try_it, [1]))
""", "[True]\n")

    def test_a_forked_child_that_runs_on(self):
        self.check("""
import os, atexit
atexit.register(lambda: print('end of', 'parent' if os.getpid() == parent else 'child'))
parent = os.getpid()
pid = os.fork()
if pid == 0:
    print('child')
else:
    os.waitpid(pid, 0)
    print('parent')
""", "child\nend of child\nparent\nend of parent\n")

    def test_fork_with_top_level_await(self):
        self.check("""
import asyncio, multiprocessing as mp
await asyncio.sleep(0)
def f(x): return x + 1
with mp.get_context('fork').Pool(1) as pool: print(pool.map(f, [1]))
""", "[2]\n")

    def test_process_pool_executor(self):
        self.check("""
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def f(x): return x * x
if __name__ == '__main__':
    with ThreadPoolExecutor(4) as pool: print(list(pool.map(f, range(4))))
    with ProcessPoolExecutor(2) as pool: print(list(pool.map(f, range(4))))
""", "[0, 1, 4, 9]\n[0, 1, 4, 9]\n")

    def test_faulthandler_and_resource(self):
        self.check("import faulthandler, resource\nfaulthandler.enable()\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
                   "resource.getrlimit(resource.RLIMIT_CORE)", "", "(1, 1)")

    def test_environment(self):
        import json
        with Guest(tools={"my-files": {}}) as guest:
            result = guest.run("import os\nprint(os.environ['MCP_AVAILABLE_SERVERS'])")
        self.assertEqual(json.loads(result.stdout), [{"name": "my-files", "alias": "my_files", "description": "server my-files"}])

    def test_nothing_left_of_ours_in_the_namespace(self):
        names = run("print(sorted(n for n in globals() if not n.startswith('__')))").stdout
        self.assertEqual(names, "['LOADED_MCP_SERVERS', 'display', 'mcp', 'mcp_servers', 'runtime', 'save_tool']\n")

    def test_only_one_thread_and_few_descriptors(self):
        self.check("import threading, os\nprint(threading.active_count(), sorted(map(int, os.listdir('/proc/self/fd')))[:4])", "1 [0, 1, 2, 3]\n")

    def test_five_mebibytes_of_code(self):
        self.check("x = '%s'\nprint(len(x))" % ("y" * (5 << 20)), "5242880\n")

    def test_carriage_returns_and_byte_order_mark(self):
        self.check("\ufeffx = 1\r\nif x:\r\n    print('yes')\r\n", "yes\n")


class Tracebacks(unittest.TestCase):
    def test_own_lines_only(self):
        result = run("def f(x):\n    return 1 / x\n\nf(0)")
        self.assertEqual(result.error, "ZeroDivisionError: division by zero")
        self.assertEqual(result.exit_code, 1)
        self.assertNotIn("_cordon", result.stderr)
        self.assertNotIn("<cordon", result.stderr)
        self.assertIn('main.py", line 4, in <module>\n    f(0)\n', result.stderr)
        self.assertIn('main.py", line 2, in f\n    return 1 / x\n', result.stderr)

    def test_in_async_programs(self):
        result = run("import asyncio\nasync def f():\n    raise KeyError('k')\nawait asyncio.gather(f())")
        self.assertIn('line 4, in <module>\n    await asyncio.gather(f())\n', result.stderr)
        self.assertNotIn("cordon", result.stderr)
        self.assertEqual(result.error, "KeyError: 'k'")

    def test_chains_and_groups(self):
        result = run("try:\n    1/0\nexcept Exception as e:\n    raise ValueError('two\\nlines') from e")
        self.assertIn("direct cause", result.stderr)
        self.assertEqual(result.error, "ValueError: two")
        self.assertNotIn("cordon", result.stderr)

    def test_failing_call_shows_no_frame_of_ours(self):
        from host import CallError

        def fail(arguments):
            raise CallError("arguments", "path: expected a string")
        with Guest(tools={"fs": {"read": fail}}) as guest:
            result = guest.run("import asyncio\ndef go():\n    mcp_fs.read.sync(1)\ngo()")
        self.assertNotIn("cordon", result.stderr)
        self.assertIn("in go\n", result.stderr)

    def test_syntax_error_with_caret(self):
        result = run("x = 1\nprint(x\ny = 2")
        self.assertEqual(result.status, "error")
        self.assertTrue(result.error.startswith("SyntaxError"), result)
        self.assertIn("^", result.stderr)
        self.assertNotIn("cordon", result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        result = run("a = 5\nb = a +* 3")
        line, caret = [text for text in result.stderr.splitlines() if "+*" in text or "^" in text]
        self.assertEqual(line[caret.index("^")], "*")

    def test_recursion(self):
        result = run("def f(): f()\nf()")
        self.assertEqual(result.error.partition(":")[0], "RecursionError")
        self.assertIn("Previous line repeated", result.stderr)

    def test_exception_whose_text_cannot_be_made(self):
        result = run("class Bad(Exception):\n    def __str__(self): 1/0\nraise Bad()")
        self.assertEqual(result.status, "error")
        self.assertIn("Bad", result.error)

    def test_values_whose_repr_fails_or_is_huge(self):
        self.assertIn("ZeroDivisionError", run("class A:\n    def __repr__(self): return 1/0\nA()").value)
        self.assertIn("SystemExit", run("class A:\n    def __repr__(self): raise SystemExit(1)\nA()").value)
        value = run("'y' * 100_000").value
        self.assertLess(len(value), 31000)
        self.assertIn("70002 characters left out", value)

    def test_excepthook_of_the_program(self):
        result = run("import sys\nsys.excepthook = lambda kind, e, tb: print('mine', kind.__name__, tb.tb_lineno)\n1/0")
        self.assertEqual(result.stdout, "mine ZeroDivisionError 3\n")


class Vandalism(unittest.TestCase):
    """Programs that break what they can reach in their own process still give a result."""

    def test_broken_modules_and_builtins(self):
        for code in ("import sys\nsys.modules.clear()\nprint('x')", "import builtins\nfor n in list(vars(builtins)):\n"
                     "    if n not in ('print', 'list', 'vars', 'delattr', 'hasattr'): delattr(builtins, n)\nprint('x')",
                     "import json\njson.dumps = json.loads = json.JSONEncoder = None\nprint('x')",
                     "print('x')\nglobals().clear()",
                     "import sys\nprint('x')\nsys.stdout = sys.stderr = None", "import sys\nprint('x')\nsys.stdout.close()",
                     "import os\nprint('x')\nos.close(1); os.close(2)", "import os\nprint('x')\nos.write = None",
                     "import gc, threading, atexit\nprint('x')\ngc.get_objects = gc.collect = threading._shutdown = None",
                     "import asyncio\nprint('x')\nasyncio.get_running_loop = None", "print('x')\nimport sys\nsys.meta_path.clear()\nsys.path.clear()",
                     "print('x')\nimport sys\nsys.setrecursionlimit(50)"):
            with self.subTest(code):
                result = run(code)
                self.assertEqual(result.stdout, "x\n", result)
                self.assertEqual(result.status, "success", result)

    def test_closed_channel(self):
        result = run("import os\nprint('x')\nos.close(3)")
        self.assertEqual((result.status, result.stdout), ("success", "x\n"), result)
        result = run("import os\nprint('x')\nos.close(3)\n1/0")
        self.assertEqual((result.status, result.exit_code), ("error", 1), result)


if __name__ == "__main__":
    unittest.main()
