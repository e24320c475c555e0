"""System: between two executions of a session nothing in the container takes time, whatever the code left behind; and it goes on with the next."""
import os
import time
import unittest

from host import Guest, wait_until
from test_hostile import supervisor_pid

TICKS = os.sysconf("SC_CLK_TCK")
PAUSE = 1.2
BURN = "import os, sys, threading, time, ctypes, signal, subprocess\ndef burn():\n    while True: pass\n"
CHILD = BURN + "if os.fork() == 0:\n    %s\n"
# Sends SIGCONT to its own process again and again, by timers of the kernel's, through a thread that does not block it. One timer alone
# would end with a signal of its that SIGSTOP takes back.
TIMER = """
def wake_myself(every_ns=20_000_000):
    signal.signal(signal.SIGCONT, lambda *a: None)  # else newer kernels let the timer rest
    sleeper = threading.Thread(target=time.sleep, args=(1000,), daemon=True)
    sleeper.start()
    libc = ctypes.CDLL(None, use_errno=True)
    event = (ctypes.c_int * 16)()
    event[2], event[3], event[4] = signal.SIGCONT, 4, sleeper.native_id  # SIGEV_THREAD_ID
    for first in range(1, 9):
        timer = ctypes.c_void_p()
        assert libc.timer_create(1, event, ctypes.byref(timer)) == 0, ctypes.get_errno()
        times = (ctypes.c_long * 4)(0, every_ns, 0, first * every_ns)
        assert libc.timer_settime(timer, 0, times, None) == 0
"""


def tree_of(pid):
    """The living processes of a guest, its supervisor left out."""
    found, todo = [], [pid]
    while todo:
        for thread in threads_of(todo.pop()):
            try:
                with open(thread + "/children") as file:
                    todo += map(int, file.read().split())
            except OSError:
                continue
        found = sorted({*found, *todo})
    return [pid for pid in found if state_of(pid) not in ("Z", "")]


def state_of(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def threads_of(pid):
    try:
        return ["/proc/%d/task/%s" % (pid, name) for name in os.listdir("/proc/%d/task" % pid)]
    except OSError:
        return []


def cpu_of(pids):
    total = 0
    for pid in pids:
        try:
            with open("/proc/%d/stat" % pid) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


class Still(unittest.TestCase):
    def spent_after(self, code, guest=None, alive=True, **options):
        """CPU seconds that the processes of a session take in a pause behind this code."""
        own = guest or Guest()
        try:
            result = own.run(code, session=True, **options)
            self.assertEqual((result.status, result.alive), ("success", alive), result)
            top = supervisor_pid(own)
            before = cpu_of(tree_of(top))
            time.sleep(PAUSE)
            return cpu_of(tree_of(top)) - before
        finally:
            if own is not guest:
                own.close()

    def test_threads_and_children_that_burn(self):
        for name, code in {
                "a thread": BURN + "threading.Thread(target=burn, daemon=True).start()",
                "threads": BURN + "for _ in range(20): threading.Thread(target=burn, daemon=True).start()",
                "a child": CHILD % "burn()",
                "a session of its own": CHILD % "os.setsid(); burn()",
                "an orphan": CHILD % "os.fork() or burn(); os._exit(0)",
                "one that ignores SIGCONT": "import signal; signal.signal(signal.SIGCONT, signal.SIG_IGN)\n" + CHILD % "burn()",
                "one whose first thread has ended": CHILD % "threading.Thread(target=burn).start(); ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)",
                "one by vfork": BURN + "subprocess.Popen(['sh', '-c', 'while :; do :; done'])",
                "many": BURN + "for _ in range(100):\n    if os.fork() == 0: burn()"}.items():
            with self.subTest(name):
                self.assertLess(self.spent_after(code), 0.06)

    def test_impostors_of_helpers(self):
        words = "from multiprocessing.%s import main\nwhile True: pass"
        claim = "\nimport multiprocessing.resource_tracker as r, multiprocessing.forkserver as f\nr._resource_tracker._pid = f._forkserver._forkserver_pid = p.pid"
        for name, start in {
                "by name": "subprocess.Popen(['sh', '-c', 'while :; do :; done', %r])" % (words % "resource_tracker"),
                "the same program": "subprocess.Popen([sys.executable, '-c', %r])" % (words % "forkserver"),
                "by pid": "subprocess.Popen([sys.executable, '-c', 'while True: pass'])"}.items():
            with self.subTest(name):
                self.assertLess(self.spent_after(BURN + "p = " + start + "\ntime.sleep(0.2)" + claim), 0.06)

    def test_what_the_worker_says_of_helpers_is_nothing(self):
        with Guest() as guest:
            code = CHILD % "os.execv('/bin/sleep', ['sleep', '1000'])" + (
                "time.sleep(0.2)\npid = max(int(n) for n in os.listdir('/proc') if n.isdigit())\n"
                "os.write(3, b'{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":{\"status\":\"success\",\"exit_code\":0,\"helpers\":[%d]}}\\n' % pid)\ntime.sleep(1)")
            guest.run(code, session=True)
            self.assertEqual(len(tree_of(supervisor_pid(guest))), 1)

    def test_a_bomb_of_forks(self):
        code = "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (300, 300))\n" + CHILD % "\n    while True:\n        try: os.fork()\n        except OSError: pass" + "time.sleep(0.3)"
        with Guest() as guest:
            self.assertLess(self.spent_after(code, guest, timeout=30), 0.06)
            self.assertEqual(guest.run("7", session=True).value, "7")

    def test_who_wakes_himself_ends_his_session(self):
        for name, code in {"a thread": "threading.Thread(target=burn, daemon=True).start()",
                           "one that sleeps again": "def work():\n    while True:\n        end = time.monotonic() + 0.015\n        while time.monotonic() < end: pass\n"
                                                    "        os.kill(os.getpid(), signal.SIGSTOP)\nthreading.Thread(target=work, daemon=True).start()"}.items():
            with self.subTest(name), Guest() as guest:
                result = guest.run(BURN + TIMER + "wake_myself()\n" + code, session=True, timeout=10)
                top = supervisor_pid(guest)
                wait_until(lambda: not tree_of(top), 5)
                self.assertEqual(result.status, "success", result)
                with self.assertRaisesRegex(AssertionError, "the interpreter has ended"):
                    guest.run("1", session=True)

    def test_a_helper_that_wakes_itself_ends_alone(self):
        inner = BURN + TIMER + "wake_myself()\nburn()  # from multiprocessing.resource_tracker import main"
        with Guest() as guest:
            guest.run("import subprocess, sys, time\np = subprocess.Popen([sys.executable, '-c', %r])\ntime.sleep(0.5)" % inner, session=True)
            top = supervisor_pid(guest)
            wait_until(lambda: len(tree_of(top)) == 1, 5)
            self.assertEqual(guest.run("p.wait()", session=True).value, "-9")


class GoesOn(unittest.TestCase):
    def run_all(self, *calls):
        with Guest() as guest:
            for code in calls:
                result = guest.run(code, session=True, timeout=15)
                time.sleep(0.1)
            return result

    def test_a_thread_counts_in_executions_only(self):
        result = self.run_all("import threading, time\nticks = []\ndef count():\n    while True: ticks.append(time.monotonic()); time.sleep(0.01)\n"
                              "threading.Thread(target=count, daemon=True).start(); end = time.monotonic()", "time.sleep(0.3)\nbegan = time.monotonic() - 0.3",
                              "[len([t for t in ticks if end + 0.02 < t < began - 0.02]), len(ticks) > 20]")
        self.assertEqual(result.value, "[0, True]", result)

    def test_tasks_of_asyncio(self):
        result = self.run_all("import asyncio\nasync def later(): await asyncio.sleep(0.05); return 'done'\nt = asyncio.create_task(later())\nawait asyncio.sleep(0)", "await t")
        self.assertEqual(result.value, "'done'", result)

    def test_sockets_and_servers_of_the_program(self):
        result = self.run_all("import socket, socketserver, threading\nclass Echo(socketserver.StreamRequestHandler):\n    def handle(self): self.wfile.write(self.rfile.readline())\n"
                              "server = socketserver.ThreadingUnixStreamServer('there', Echo)\nthreading.Thread(target=server.serve_forever, daemon=True).start()\n",
                              "s = socket.socket(socket.AF_UNIX); s.connect('there'); s.sendall(b'hello\\n'); s.recv(9)")
        self.assertEqual(result.value, "b'hello\\n'", result)

    def test_pools_that_are_kept(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                result = self.run_all("import multiprocessing as m\nmp = m.get_context(%r)\ndef f(x): return x + 1\npool = mp.Pool(2)\nprint(pool.map(f, [1]))" % method,
                                      "pool.map(f, [2, 3])", "pool.map(f, [4, 5])")
                self.assertEqual(result.value, "[5, 6]", result)
        result = self.run_all("import concurrent.futures as c, math\npool = c.ProcessPoolExecutor(2)\nlist(pool.map(math.sqrt, [4]))", "list(pool.map(math.sqrt, [9, 16]))")
        self.assertEqual(result.value, "[3.0, 4.0]", result)

    def test_a_handler_of_sigcont(self):
        result = self.run_all("import signal\nseen = []\nsignal.signal(signal.SIGCONT, lambda *a: seen.append(1))", "5", "len(seen) <= 2")
        self.assertEqual(result.value, "True", result)

    def test_many_calls_one_after_the_other(self):
        result = self.run_all("n = 0", *["n += 1"] * 10, "n")
        self.assertEqual(result.value, "10", result)


class Ends(unittest.TestCase):
    def test_with_its_host_and_when_that_is_silent(self):
        for options, end in (({}, lambda guest: guest.process.stdin.close()), ({"heartbeat_seconds": 1}, lambda guest: None)):
            with Guest(**options) as guest:
                guest.run(BURN + "threading.Thread(target=burn, daemon=True).start()", session=True)
                end(guest)
                guest.process.wait(10)


if __name__ == "__main__":
    unittest.main()
