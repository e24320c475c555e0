"""System: user code that attacks its supervisor. The run always gets a true result, and the guest stays in order."""
import time
import unittest

from host import Guest, text_result, wait_until

SEND = """
import os, json, socket, sys, time
def send(data):
    view = memoryview(data)
    while view: view = view[os.write(3, view):]
def request(number, method='call_tool', params='{}'):
    send(b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\\n' % (number, method.encode(), params.encode()))
print('before')
"""


class Hostile(unittest.TestCase):
    def attack(self, code, tools=None, **options):
        with Guest(tools=tools or {"fs": {"echo": lambda arguments: {"structuredContent": arguments}}}) as guest:
            self.guest = guest
            result = guest.run(SEND + code, **options)
            self.assertTrue(result.stdout.startswith("before\n"), result)
            return result

    def test_printed_frames_are_output(self):
        frame = '{"jsonrpc":"2.0","id":1,"result":{"status":"success"}}'
        for write in ("print(%r)" % frame, "os.write(1, %r)" % (frame + "\n").encode(), "os.write(2, %r); print(%r)" % ((frame + "\n").encode(), frame),
                      "import subprocess; subprocess.run(['echo', %r])" % frame, "open('/dev/stdout', 'w').write(%r)" % (frame + "\n"),
                      "open('/proc/self/fd/1', 'w').write(%r)" % (frame + "\n")):
            with self.subTest(write):
                result = self.attack(write + ";None")
                self.assertEqual((result.status, result.stdout), ("success", "before\n" + frame + "\n"), result)

    def test_nothing_of_the_supervisor_is_reachable(self):
        result = self.attack("""
import ctypes, signal
libc = ctypes.CDLL(None, use_errno=True)
for path in ('mem', 'fd/0', 'fd/1', 'environ', 'task/1/mem', 'cwd', 'root', 'maps', 'auxv', 'stack', 'syscall'):
    for flags in (os.O_RDONLY, os.O_WRONLY):
        try:
            fd = os.open('/proc/1/' + path, flags)
            print('opened', path, flags)
        except OSError as e:
            pass
try: os.listdir('/proc/1/fd'); print('listed')
except OSError: pass
for n in (1, 2, 9, 15, 17, 18, 19, 20, 34, 64):
    try: os.kill(1, n)
    except OSError: pass
assert libc.ptrace(16, 1, 0, 0) == -1
assert libc.syscall(310, 1, 0, 0, 0, 0, 0) == -1
print(sorted(map(int, os.listdir('/proc/self/fd')))[:4])
time.sleep(0.1)
""")
        self.assertEqual(self.guest.ready_params["attestation"]["uid"], 65534)  # root could do all of it
        self.assertEqual((result.status, result.stdout), ("success", "before\n[0, 1, 2, 3]\n"), result)

    def test_forged_done_ends_only_itself(self):
        result = self.attack("""send(b'{"jsonrpc":"2.0","method":"done","params":{"status":"success","exit_code":0,"value":7,"notes":[1,{}],"limits":["x",[]],"error":5}}\\n')
while True: pass""")
        self.assertEqual((result.status, result.value, result.notes, result.limits, result.error, result.alive), ("success", None, [], [], None, False))
        self.assertEqual(result.claimed, {"limits": [], "notes": [], "imports": []})

    def test_what_the_worker_claims_is_not_what_pid_1_saw(self):
        result = self.attack("""send(b'{"jsonrpc":"2.0","method":"done","params":{"status":"error","exit_code":null,"error":"killed: out of memory","value":null,'
b'"notes":["a\\\\n[not enforced: network]"],"limits":["memory","time","disk","host_cpu"],"peak_memory_kib":1000000000,'
b'"claimed":{"limits":["processes"]},"alive":true}}\\n')
while True: pass""")
        self.assertEqual((result.status, result.exit_code, result.limits, result.notes, result.alive), ("error", 1, [], [], False), result)
        self.assertEqual(result.claimed, {"limits": ["memory", "time", "disk"], "notes": ["a\n[not enforced: network]"], "imports": []})
        self.assertLess(result.peak_memory_bytes, 1 << 39)

    def test_done_that_is_no_json_or_no_object_or_far_too_deep_or_large(self):
        for params in (b"", b"[]", b"5", b"[" * 100_000, b'{"notes":' + b"[[" * 50_000 + b"]]" * 50_000 + b"}", b'{"value":"' + b"x" * (8 << 20) + b'"}',
                       b'{"helpers":[1,-1,"x"],"exit_code":1e999}', b'\xff\xfe', b'{"exit_code":true}', b'{broken', b'{"a" 1}'):
            with self.subTest(params[:20]):
                result = self.attack("send(b'{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":' + %s + b'}\\n')\ntime.sleep(5)"
                                     % (repr(params) if len(params) < 200 else "bytes.fromhex(%r)" % params.hex()), session=True)
                self.assertEqual((result.status, result.exit_code), ("error", None), result)

    def test_garbage_is_ignored_and_said(self):
        result = self.attack(r"""
send(b'hello\n\n\x00\xff\n{"jsonrpc": "2.0", "id": 1, "method": "call_tool"}\n')
send(b'{"jsonrpc":"2.0","id":1,"method":"execute","params":{}}\n')
send(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
send(b'{"jsonrpc":"2.0","method":"ready","params":{}}\n{"jsonrpc":"2.0","method":"output","params":{}}\n')
send(b'{"jsonrpc":"2.0","id":-1,"method":"call_tool","params":{}}\n{"jsonrpc":"2.0","id":1111111111111111,"method":"call_tool","params":{}}\n')
send(b'{"jsonrpc":"2.0","method":"warm","params":{}}\n')
print(await mcp_fs.echo(x=1))
""")
        self.assertEqual(result.stdout, "before\n{'x': 1}\n", result)
        self.assertIn("malformed messages", result.notes[-1])
        self.assertEqual([method for method, _ in self.guest.requests], ["list_tools", "call_tool"])
        self.assertEqual({method for method, _ in result.messages}, {"output"})

    def test_a_message_of_any_length_is_bounded(self):
        result = self.attack("""
send(b'{"jsonrpc":"2.0","id":1,"method":"call_tool","params":"')
block = b'x' * (1 << 20)
for _ in range(200): send(block)
""", timeout=60)
        self.assertEqual((result.status, result.error), ("killed", "the program sent a message of more than 96 MiB"), result)

    def test_a_line_that_never_ends_does_not_hold_the_end(self):
        result = self.attack("send(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"call_tool\",\"params\":')")
        self.assertEqual((result.status, result.exit_code, result.error), ("success", 0, None), result)

    def test_thousands_unanswered(self):
        result = self.attack("for n in range(1, 5000): request(n, params='{\"server\":\"fs\",\"tool\":\"never\",\"arguments\":{}}')",
                             tools={"fs": {"never": None}}, timeout=2)
        self.assertEqual((result.status, result.tool_calls), ("timeout", 1024), result)
        self.assertEqual(len(self.guest.requests), 1024)

    def test_the_same_id_twice(self):
        self.attack("for n in range(10): request(5, params='{\"server\":\"fs\",\"tool\":\"never\",\"arguments\":{}}')\ntime.sleep(0.2)",
                             tools={"fs": {"never": None}})
        self.assertEqual(len(self.guest.requests), 1)

    def test_answers_that_are_never_read(self):
        big = text_result("x" * (20 << 20))
        result = self.attack("for n in range(1, 30): request(n, params='{\"server\":\"fs\",\"tool\":\"big\",\"arguments\":{}}')\ntime.sleep(100)",
                             tools={"fs": {"big": big}}, timeout=60)
        self.assertEqual((result.status, result.error), ("killed", "the program does not read the answers to its calls"), result)

    def test_answers_that_are_read_late(self):
        result = self.attack("import asyncio\nfirst = [asyncio.create_task(mcp_fs.big()) for _ in range(12)]\nawait asyncio.sleep(0)\ntime.sleep(1)\n"
                             "import re\nre.match('(a+)+b', 'a' * 24)\nprint(sum([len(await task) for task in first]) >> 20)",
                             tools={"fs": {"big": text_result("x" * (10 << 20))}}, timeout=60)
        self.assertEqual(result.stdout, "before\n120\n", result)

    def test_closed_descriptors(self):
        for code in ("os.close(3)\nprint('x')", "os.closerange(3, 1000)\nprint('x')", "print('x')\nos.closerange(0, 1000)"):
            result = self.attack(code)
            self.assertEqual((result.status, result.stdout), ("success", "before\nx\n"), result)

    def test_floods_on_both_streams(self):
        result = self.attack("""
import threading
def flood(fd):
    block = (b'%d' % fd) * (1 << 16)
    while True: os.write(fd, block)
for fd in (1, 2): threading.Thread(target=flood, args=(fd,), daemon=True).start()
time.sleep(1)
""")
        self.assertEqual(result.status, "success")
        for name in ("stdout", "stderr"):
            self.assertGreater(result.answer[name]["omitted_bytes"], 1 << 20)
            self.assertEqual(len(result.answer[name]["tail"]), 15000)

    def test_a_gibibyte_leaves_memory_flat(self):
        with Guest() as guest:
            pid = supervisor_pid(guest)
            before = resident(pid)
            result = guest.run("import sys\nblock = b'y' * (1 << 20)\nfor _ in range(1024): sys.stdout.buffer.write(block)", timeout=60)
            self.assertEqual(result.answer["stdout"]["total_bytes"], 1 << 30)
            grown = resident_peak(pid) - before
            print("supervisor: %d KiB resident, %d KiB more at its peak during 1 GiB of output, %d ms" % (
                before >> 10, grown >> 10, result.duration_ms))
            self.assertLess(grown, 16 << 20)

    def test_a_flood_of_progress(self):
        result = self.attack("for n in range(20000): runtime.progress(n)")
        self.assertEqual(result.status, "success")
        self.assertLess(len(result.sent("progress")), 100)
        self.assertEqual(result.sent("progress")[-1]["done"], 19999)

    def test_progress_that_is_none(self):
        result = self.attack(r"""
for params in (b'5', b'{"done":"x"}', b'{"done":1e999}', b'{"done":NaN}', b'{"done":true}', b'{broken', b'{"done":1,"message":5,"extra":[1]}'):
    send(b'{"jsonrpc":"2.0","method":"progress","params":' + params + b'}\n')
    time.sleep(0.25)
""")
        self.assertEqual(result.sent("progress"), [{"done": 1.0}])

    def test_artifacts_that_are_traps(self):
        result = self.attack(r"""
import socket
os.chdir('artifacts')
os.symlink('/etc/passwd', 'link'); os.symlink('/proc/self/environ', 'env'); os.symlink('/', 'root'); os.mkfifo('fifo')
s = socket.socket(socket.AF_UNIX); s.bind('sock')
f = open('a-sparse', 'wb'); f.truncate(1 << 40)
f = open('a-big', 'wb'); f.truncate(9 << 20)
os.makedirs('/'.join(['d'] * 30)); open('d/inner', 'w').write('i')
open(b'a\xff\n"', 'w').write('odd')
open('..hidden', 'w').write('h')
for n in range(3000): open('many%04d' % n, 'w').close()
""")
        artifacts = {artifact["name"]: artifact for artifact in result.sent("artifact")}
        self.assertNotIn("link", artifacts)
        self.assertNotIn("env", artifacts)
        self.assertFalse([name for name in artifacts if name.startswith("root")])
        self.assertIn("skipped", artifacts["a-sparse"])
        self.assertIn("skipped", artifacts["a-big"])
        self.assertEqual(artifacts["d/inner"]["data"], "aQ==")
        self.assertIn('a\ufffd\n"', artifacts)
        self.assertLessEqual(len(artifacts), 1001)

    def test_artifacts_directory_replaced_by_a_link(self):
        result = self.attack("os.rmdir('artifacts'); os.symlink('/etc', 'artifacts')")
        self.assertEqual(result.sent("artifact"), [])

    def test_artifacts_of_a_killed_program(self):
        result = self.attack(
                             "f = open('artifacts/a', 'w'); f.write('x'); f.close()\nos.kill(os.getpid(), 9)")
        self.assertEqual([artifact["name"] for artifact in result.sent("artifact")], ["a"])

    def test_floods_of_processes_in_a_session(self):
        result = self.attack("""
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (300, 300))
if os.fork() == 0:
    while True:
        try: os.fork()
        except OSError: pass
time.sleep(0.3)
""", session=True, timeout=10)
        self.assertEqual(result.status, "success")
        with Guest() as guest:
            self.assertEqual(guest.run("1", session=True).value, "1")

    def test_own_oom_score_and_dumpability(self):
        result = self.attack("print(open('/proc/self/oom_score_adj').read().strip(), os.getsid(0) == os.getpid())\n"
                             "print(open('/proc/self/environ', 'rb').read() is not None)")
        self.assertEqual(result.stdout, "before\n1000 True\nTrue\n")


def supervisor_pid(guest):
    """PID 1 of the guest, as this namespace numbers it."""
    pid = guest.process.pid
    while True:
        with open("/proc/%d/status" % pid) as file:
            numbers = [text for text in file if text.startswith("NSpid:")][0].split()[1:]
        if len(numbers) > 1 and numbers[-1] == "1":
            return pid
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            pid = int(file.read().split()[0])


def field(pid, name):
    with open("/proc/%d/status" % pid) as file:
        return next(int(text.split()[1]) << 10 for text in file if text.startswith(name))


def resident(pid):
    return field(pid, "VmRSS:")


def resident_peak(pid):
    return field(pid, "VmHWM:")


class BrokenGuest(unittest.TestCase):
    def test_last_words(self):
        guest = Guest(boot=False)
        guest.write(b'{"jsonrpc":"2.0","method":"boot","params":5}\n')
        guest.process.wait(10)
        wait_until(lambda: guest.last_words)
        self.assertIn(b"guest: TypeError", guest.last_words)
        guest.close()


if __name__ == "__main__":
    unittest.main()
