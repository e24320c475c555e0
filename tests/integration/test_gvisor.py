"""gVisor (--oci-runtime runsc): what its own kernel can show is judged, what it cannot is said. with_engine --gvisor [--docker] -- python3 test_gvisor.py"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case, ODD  # noqa: E402
from cordon_client import CORDON, LIMIT, Cordon  # noqa: E402

OPEN = """
import ctypes, os, select
libc = ctypes.CDLL(None, use_errno=True)
def shut(path, how):
    try:
        return os.close(os.open(path, how))
    except PermissionError:
        return "shut"
told = os.open("/proc/1/fd/0", os.O_RDONLY | os.O_NONBLOCK)
os.write(os.open("/proc/1/fd/1", os.O_WRONLY), b'{"jsonrpc":"2.0","method":"output","params":{"stream":"stdout","text":"FORGED "}}\\n')
print(shut("/proc/1/mem", os.O_RDONLY), shut("/proc/1/mem", os.O_RDWR), libc.ptrace(16, 1, 0, 0), ctypes.get_errno())
while True: # a heartbeat comes every few seconds, and the supervisor itself may be the first
    select.select([told], [], [])
    try:
        print("told:", os.read(told, 4096).decode())
        break
    except BlockingIOError:
        pass
"""


class Attested(unittest.TestCase):
    def test_strict_refuses_for_what_gvisor_leaves_open_and_for_nothing_else(self):
        with Cordon() as cordon:
            result = cordon.run("print('ran')")
        self.assertEqual((result.status, result.facts["notEnforced"]), ("refused", ["init"]), result)
        self.assertIn("init: asked the supervisor is PID 1 and cannot be read, the guest sees PID 1, its streams open to the code: gVisor lets code",
                      result.text)

    def test_doctor_says_what_cannot_be_seen(self):
        with tempfile.TemporaryDirectory(prefix="cordon-doctor-") as home:
            ended = subprocess.run([CORDON, "doctor", "--json"], stdout=subprocess.PIPE, text=True, timeout=LIMIT * 2,
                                   env={**os.environ, "HOME": home, "MCP_BRIDGE_STATE_DIR": home + "/state"})
        rows = {row["row"]: row for row in json.loads(ended.stdout)["confinement"]}
        self.assertEqual([name for name, row in rows.items() if not row["ok"]], ["init"])
        self.assertEqual((rows["OCI runtime"]["engine"], rows["OCI runtime"]["guest"]), ("runsc", "gVisor"))
        for name in ("seccomp", "processes"):
            self.assertIn("cannot be seen: gVisor", rows[name]["guest"])
        for name in ("capabilities", "writable", "memory"):
            self.assertIn("gVisor does not show", rows[name]["guest"])


class Reported(Case):
    servers = {"odd": ODD}
    env = {"MCP_BRIDGE_CONFINEMENT": "report"}

    def test_it_is_gvisor_and_each_result_says_what_is_open(self):
        result = self.cordon.run("import os\nprint(os.uname().release)\nprint('gvisor' in open('/proc/cmdline').read() + os.uname().release)")
        self.assertEqual(result.text.splitlines()[1:2], ["True"], result)
        self.assertEqual(result.facts["notEnforced"], ["init"])
        self.assertIn("[not enforced: init", result.text)

    def test_what_is_said_to_be_open_is(self):
        text = self.check(OPEN, timeout=60)
        self.assertIn("FORGED", text)
        self.assertIn('told: {"jsonrpc":"2.0",', text)
        self.assertIn("shut shut -1 1", text)  # its memory, by both ways
        ended = self.cordon.run("import os, signal\nos.kill(1, signal.SIGKILL)\nwhile True: pass")
        self.assertIn("the container ended before the code did", ended.text)

    def test_programs_children_threads_and_calls(self):
        code = ("import subprocess, sys, threading\nseen = []\nthread = threading.Thread(target=seen.append, args=('thread',))\nthread.start()\nthread.join()\n"
                "seen.append(subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout.strip())\n"
                "seen.append((await mcp_odd.one(1))['tool'])\nprint(*seen)")
        self.assertEqual(self.check(code).splitlines()[0], "thread 42 one")

    def test_a_session_keeps_its_interpreter(self):
        self.check("kept = 41", session="s")
        self.assertEqual(self.check("print(kept + 1)", session="s").splitlines()[0], "42")

    def test_the_limits_of_the_host_are_around_it_and_the_next_call_works(self):
        for code in ("kept = []\nwhile True: kept.append(bytearray(16 << 20))",
                     "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()"):
            self.assertTrue(self.cordon.run(code, timeout=60).is_error)
            self.assertEqual(self.check("print('next')").splitlines()[0], "next")


if __name__ == "__main__":
    unittest.main()
