"""System: every way in which a run ends, and what its result says then."""
import subprocess
import time
import unittest
from unittest import mock

from host import PYTHON, Guest, bundle, own_namespaces, text_result, wait_until


def run(code, **options):
    with Guest() as guest:
        return guest.run(code, **options)


class Endings(unittest.TestCase):
    def verdict(self, code, **options):
        result = run("print('before')\n" + code, **options)
        self.assertEqual(result.stdout, "before\n", result)
        return result.status, result.exit_code, result.signal

    def test_exit_without_python(self):
        self.assertEqual(self.verdict("import os\nos._exit(3)"), ("error", 3, None))
        self.assertEqual(self.verdict("import os\nos._exit(0)"), ("success", 0, None))

    def test_signals(self):
        self.assertEqual(self.verdict("import os\nos.kill(os.getpid(), 9)"), ("killed", None, 9))
        self.assertEqual(self.verdict("import os\nos.abort()"), ("killed", None, 6))
        self.assertEqual(self.verdict("import ctypes\nctypes.string_at(0)"), ("killed", None, 11))
        self.assertEqual(self.verdict("import os\nos.kill(os.getpid(), 15)"), ("killed", None, 15))
        self.assertEqual(self.verdict("import os, signal\nos.kill(0, signal.SIGKILL)"), ("killed", None, 9))

    def test_interrupt_is_an_exception(self):
        result = run("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time; time.sleep(1)")
        self.assertEqual((result.status, result.exit_code, result.error), ("error", 130, "KeyboardInterrupt"))

    def test_replaced_by_another_program(self):
        result = run("import os\nprint('before')\nos.execvp('sh', ['sh', '-c', 'echo after; exit 5'])")
        self.assertEqual((result.status, result.exit_code, result.stdout), ("error", 5, "before\nafter\n"), result)

    def test_timeout(self):
        for code in ("while True: pass", "import time; time.sleep(100)", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
                     "import os, signal; os.killpg(0, signal.SIGSTOP)", "import atexit, time; atexit.register(time.sleep, 100)",
                     "class A:\n    def __del__(self):\n        while True: pass\na = A()",
                     "import threading, time; threading.Thread(target=time.sleep, args=(100,)).start()",
                     "import signal, time\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(100)",
                     "import re; re.match('(a+)+b', 'a' * 100)", "import os\nos.close(3)\nwhile True: pass"):
            with self.subTest(code):
                self.assertEqual(self.verdict(code, timeout=0.5), ("timeout", None, None))

    def test_timeout_names_its_limit_and_keeps_output(self):
        result = run("import sys, time\nprint('a')\nprint('b', file=sys.stderr)\nprint('c', end='')\ntime.sleep(100)", timeout=0.5)
        self.assertEqual((result.stdout, result.stderr, result.limits), ("a\nc", "b\n", ["time"]))
        self.assertGreaterEqual(result.duration_ms, 500)

    def test_pauses_stop_the_clock_but_not_for_ever(self):
        with Guest() as guest:
            number = guest.start("import time\ntime.sleep(1.0)\nprint('done')", timeout=0.7)
            guest.notify("pause", {})
            time.sleep(0.6)
            guest.notify("resume", {})
            result = guest.result(number)
        self.assertEqual((result.status, result.stdout), ("success", "done\n"), result)
        with Guest() as guest:
            number = guest.start("import time\ntime.sleep(100)", timeout=0.5)
            guest.notify("pause", {})
            guest.notify("pause", {})
            result = guest.result(number, within=10)
        self.assertEqual(result.status, "timeout")
        self.assertGreaterEqual(result.duration_ms, 1000)

    def test_processes_left_behind_do_not_hold_the_result(self):
        for code in ("import subprocess\nsubprocess.Popen(['sleep', '1000'])\nprint('x')",
                     "import subprocess\nsubprocess.Popen('while :; do echo flood; done', shell=True)\nimport time; time.sleep(0.1)\nNone",
                     "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)\nos.wait()\nprint('x')"):
            with self.subTest(code):
                with Guest() as guest:
                    result = guest.run(code)
                    self.assertEqual(result.status, "success", result)
                    wait_until(lambda: processes_of(guest) <= 1)

    def test_after_a_timeout_nothing_runs(self):
        with Guest() as guest:
            result = guest.run("import os, subprocess\nsubprocess.Popen(['sleep', '1000'])\nos.setsid\nwhile True: pass", timeout=0.5)
            self.assertEqual(result.status, "timeout")
            wait_until(lambda: processes_of(guest) <= 1)

    def test_fork_bomb_ends_with_the_time(self):
        code = "import os, resource\nresource.setrlimit(resource.RLIMIT_NPROC, (400, 400))\nwhile True:\n    try: os.fork()\n    except OSError: pass"
        with Guest() as guest:
            result = guest.run(code, timeout=1)
            self.assertEqual(result.status, "timeout", result)
            wait_until(lambda: processes_of(guest) <= 1)

    def test_numbers(self):
        result = run("x = bytearray(50_000_000)\nfor i in range(2_000_000): pass")
        self.assertGreater(result.cpu_ms, 0)
        self.assertGreater(result.peak_memory_bytes, 50_000_000)
        self.assertGreaterEqual(result.duration_ms, 1)
        result = run("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'for i in range(3_000_000): pass'])\nNone")
        self.assertGreater(result.cpu_ms, 30)

    def test_limits_that_exceptions_speak_of(self):
        result = run("import os\nfs = []\nwhile True: fs.append(os.open('/dev/null', 0))")
        self.assertEqual((result.claimed["limits"], result.limits, result.status), (["open_files"], [], "error"), result)
        result = run("bytearray(1 << 60)")
        self.assertEqual((result.claimed["limits"], result.limits), (["memory"], []), result)


def processes_of(guest):
    """How many processes live below the guest's own unshare."""
    import os
    children = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            children.setdefault(int(fields[1]), []).append(int(pid))
    todo, count = [guest.process.pid], -1
    while todo:
        found = children.get(todo.pop(), [])
        count += len(found)
        todo += found
    return count + 1


class Life(unittest.TestCase):
    """How the guest itself ends."""

    def test_end_of_stdin(self):
        guest = Guest()
        guest.start("import time\ntime.sleep(1000)")
        guest.process.stdin.close()
        self.assertEqual(guest.process.wait(10), 0)
        guest.close()

    def test_end_of_life(self):
        guest = Guest(life_seconds=1)
        guest.start("import time\ntime.sleep(1000)", timeout=100)
        self.assertEqual(guest.process.wait(10), 0)
        guest.close()

    def test_no_heartbeat(self):
        guest = Guest(heartbeat_seconds=1)
        guest.start("while True: pass", timeout=100)
        for _ in range(8):
            time.sleep(0.25)
            guest.notify("heartbeat", {})
        self.assertIsNone(guest.process.poll())
        self.assertEqual(guest.process.wait(10), 0)
        guest.close()

    def test_a_host_that_is_cut_off_before_it_could_say_anything(self):
        quick = bundle.loader_text().replace("alarm(60)", "alarm(1)")
        with subprocess.Popen(own_namespaces(PYTHON) + [quick], stdin=subprocess.PIPE) as guest:
            guest.stdin.write(b"00000")
            guest.stdin.flush()
            self.assertEqual(guest.wait(10), 1)

    def test_a_host_that_is_cut_off_before_it_said_how_long_it_may_be_silent(self):
        impatient = {name: text.replace("BOOT_SECONDS = 60", "BOOT_SECONDS = 1") for name, text in bundle.module_sources().items()}
        with mock.patch.object(bundle, "module_sources", lambda: impatient):
            guest = Guest(boot=False)
        self.assertEqual(guest.process.wait(10), 0)
        guest.close()
        self.assertIn(b"the host was silent for 1 s", guest.last_words)

    def test_host_that_reads_no_more(self):
        guest = Guest(tools={"fs": {"echo": lambda arguments: {"structuredContent": arguments}}}, life_seconds=2)
        guest.start("print('x' * 10_000_000)", head=20_000_000)
        self.assertEqual(guest.process.wait(10), 0)
        guest.close()

    def test_errors_of_the_host_are_answered(self):
        with Guest() as guest:
            number = guest.start("import time; time.sleep(0.5)")
            other = guest.start("1")
            self.assertEqual(guest.answers[other].get(timeout=5)["error"]["message"], "an execution is under way")
            self.assertEqual(guest.answers[number].get(timeout=5)["result"]["status"], "success")
            third = guest.start("1")
            self.assertEqual(guest.answers[third].get(timeout=5)["error"]["message"], "the interpreter has ended")

    def test_unknown_methods_and_late_answers(self):
        import queue
        from host import line
        with Guest() as guest:
            guest.notify("novel", {})
            guest.answers[99] = queue.Queue()
            guest.write(line({"jsonrpc": "2.0", "id": 99, "method": "novel", "params": {}}))
            self.assertEqual(guest.answers[99].get(timeout=5)["error"]["code"], -32601)
            guest.answer(12345, {"an answer": "to nobody"})
            guest.write(b"\n")
            self.assertEqual(guest.run("print(1)").stdout, "1\n")


class Sessions(unittest.TestCase):
    def test_state_files_and_loop_live_on(self):
        with Guest() as guest:
            first = guest.run("import asyncio\nx = 1\ndef f(): return x\nopen('f.txt', 'w').write('y')\nlock = asyncio.Lock()\n"
                              "t = asyncio.create_task(asyncio.sleep(0.01, 'slept'))\nawait asyncio.sleep(0)", session=True)
            self.assertEqual((first.status, first.alive), ("success", True), first)
            second = guest.run("x += 1\nprint(f(), open('f.txt').read())", session=True)
            self.assertEqual((second.stdout, second.alive), ("2 y\n", True), second)
            third = guest.run("async with lock: print(await t)\nimport inspect\ninspect.getsource(f)", session=True)
            self.assertEqual((third.stdout, third.value), ("slept\n", repr("def f(): return x\n")), third)
            fourth = guest.run("asyncio.run(asyncio.sleep(0, 'plain'))", session=True)
            self.assertEqual(fourth.value, "'plain'", fourth)
            fifth = guest.run("await asyncio.sleep(0, 'again')", session=True)
            self.assertEqual(fifth.value, "'again'", fifth)

    def test_errors_leave_it_alive_and_lines_are_right(self):
        with Guest() as guest:
            guest.run("def bad():\n    return 1/0", session=True)
            result = guest.run("\n\nbad()", session=True)
            self.assertEqual((result.status, result.alive, result.exit_code), ("error", True, 1))
            self.assertIn("main.py\", line 2, in bad\n    return 1/0", result.stderr)
            self.assertIn("main2.py\", line 3, in <module>\n    bad()", result.stderr)
            result = guest.run("import sys; sys.exit(3)", session=True)
            self.assertEqual((result.exit_code, result.alive), (3, True))
            self.assertEqual(guest.run("1 +", session=True).error.partition(":")[0], "SyntaxError")
            self.assertEqual(guest.run("5", session=True).value, "5")

    def test_death_and_timeout_end_it(self):
        with Guest() as guest:
            result = guest.run("import os; os._exit(1)", session=True)
            self.assertEqual((result.status, result.alive), ("error", False))
        with Guest() as guest:
            result = guest.run("while True: pass", session=True, timeout=0.3)
            self.assertEqual((result.status, result.alive), ("timeout", False))

    def test_left_over_threads_have_no_output_and_no_calls(self):
        tools = {"fs": {"hit": lambda arguments: text_result("hit")}}
        with Guest(tools=tools) as guest:
            result = guest.run("""
import threading, time
called = threading.Event()
def work():
    while True:
        print('noise')
        try: mcp_fs.hit.sync()
        except RuntimeError: pass
        called.set()
        time.sleep(0.01)
print('first')
threading.Thread(target=work, daemon=True).start()
None if called.wait(10) else print('it never called')
""", session=True)
            self.assertTrue(result.stdout.startswith("first\nnoise\n"), result)
            before = len(guest.requests)  # all that was asked before the answer was read before it
            time.sleep(0.3)  # in which nothing may come
            self.assertEqual(len(guest.requests), before)
            result = guest.run("called.clear()\ncalled.wait(10)", session=True)  # it stood still, and goes on
            self.assertEqual(result.value, "True", result)
            self.assertGreater(len(guest.requests), before)
            self.assertLess(result.answer["stdout"]["total_bytes"], 2000)

    def test_children_end_with_each_execution(self):
        with Guest() as guest:
            result = guest.run("import subprocess\np = subprocess.Popen(['sleep', '1000'])", session=True)
            self.assertTrue(result.alive)
            self.assertEqual(guest.run("p.wait()", session=True).value, "-9")

    def test_multiprocessing_again_and_again(self):
        with Guest() as guest:
            for method in ("fork", "spawn", "forkserver", "spawn", "forkserver"):
                result = guest.run("import multiprocessing as mp, math\nif __name__ == '__main__':\n    with mp.get_context(%r).Pool(1) as pool:\n"
                                   "        print(pool.map(math.sqrt, [4]))" % method, session=True)
                self.assertEqual((result.stdout, result.alive), ("[2.0]\n", True), result)

    def test_unanswered_calls_of_an_earlier_execution(self):
        with Guest(tools={"fs": {"never": None, "now": text_result("now")}}) as guest:
            result = guest.run("import asyncio\nruntime.list_tools_sync('fs')\nt = asyncio.create_task(mcp_fs.never())\nawait asyncio.sleep(0)", session=True)
            self.assertEqual((result.alive, result.tool_calls), (True, 1), result)
            result = guest.run("try:\n    await t\nexcept runtime.CallCancelled as e:\n    print(e)\nprint(await mcp_fs.now())", session=True)
            self.assertEqual(result.stdout, "the execution that made this call has ended\nnow\n", result)

    def test_own_names_are_not_taken_back(self):
        with Guest(tools={"fs": {}}) as guest:
            guest.run("display = 5\nmcp_fs = 6", session=True)
            self.assertEqual(guest.run("display, mcp_fs, runtime is mcp.runtime", session=True).value, "(5, 6, True)")

    def test_servers_may_change(self):
        with Guest(tools={"a": {}, "b": {}}) as guest:
            one, two = guest.servers
            guest.run("1", session=True, servers=[one])
            result = guest.run("'mcp_a' in globals(), 'mcp_b' in globals(), runtime.list_servers_sync()", session=True, servers=[two])
            self.assertEqual(result.value, "(False, True, ['b'])")

    def test_artifacts_only_once(self):
        with Guest() as guest:
            code = "open('artifacts/%s', 'w').write('%s')\nNone"
            names = [[a["name"] for a in guest.run(code % pair, session=True).sent("artifact")]
                     for pair in (("a", "1"), ("b", "2"), ("a", "333"))]
            self.assertEqual(names, [["a"], ["b"], ["a"]])

    def test_an_alarm_that_goes_on_ringing(self):
        with Guest() as guest:
            result = guest.run("import signal\ndef ring(*a): raise TimeoutError('rang')\nsignal.signal(signal.SIGALRM, ring)\n"
                               "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)", session=True)
            self.assertTrue(result.alive, result)
            time.sleep(0.2)
            result = guest.run("while True: pass", session=True)
            self.assertEqual((result.error, result.alive), ("TimeoutError: rang", True), result)
            result = guest.run("try:\n    signal.setitimer(signal.ITIMER_REAL, 0)\nexcept TimeoutError:\n    signal.setitimer(signal.ITIMER_REAL, 0)\n5", session=True)
            self.assertTrue(result.alive, result)

    def test_inner_loops_in_a_session(self):
        with Guest() as guest:
            for _ in range(2):
                result = guest.run("import asyncio\nawait asyncio.sleep(0)\nasyncio.run(asyncio.sleep(0, 1))", session=True)
                self.assertEqual(result.value, "1", result)


if __name__ == "__main__":
    unittest.main()
