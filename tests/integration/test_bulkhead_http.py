"""Clients apart over HTTP: what a hostile client A does to the server and to its kernel's pools costs an innocent client B nothing."""
import http.client
import json
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import Engine, until  # noqa: E402
from cordon_http import HttpCordon, Legacy, Modern  # noqa: E402
from innocent import LATE, unharmed  # noqa: E402

IDENTITY = r"""
import getpass, os, pathlib, pwd, tempfile
home = pathlib.Path(os.path.expanduser("~"))
(home / "mine").write_text("x")
(home / "artifacts").mkdir(exist_ok=True)
(home / "artifacts" / "a.txt").write_text("kept")
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
print(os.getuid(), os.getgid(), getpass.getuser(), home, os.stat("/workspace/mine").st_uid == os.getuid(), sep=" ")
"""

TAKE_ALL = r"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
held = []
def take_all(take):
    count = 0
    while count < 20_000 and take():
        count += 1
    return count, errno.errorcode.get(ctypes.get_errno(), "")
def watch():
    held.append(libc.inotify_init1(0))
    return held[-1] >= 0
def timer():
    return libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0
print("watches", *take_all(watch))
print("timers", *take_all(timer))
"""

STILL_HAS = r"""
import ctypes, fcntl, os
libc = ctypes.CDLL(None, use_errno=True)
ends = os.pipe()
print(libc.inotify_init1(0) >= 0, libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0, fcntl.fcntl(ends[0], 1032))
print(open("/proc/self/uid_map").read())
"""


class Hostile(unittest.TestCase):
    flags = ("--timeout", "20", "--pool", "1", "--max-containers", "8")

    def setUp(self):
        self.engine = Engine()
        folder = tempfile.TemporaryDirectory(prefix="cordon-bulkhead-")
        self.addCleanup(folder.cleanup)
        self.turns = pathlib.Path(folder.name, "turns")
        self.cordon = HttpCordon(*self.flags, env={"CORDON_TEST_TURNS": str(self.turns)})
        self.addCleanup(self.cordon.close)
        self.hostile = Legacy(self.cordon, token=self.cordon.token)
        self.innocent = Legacy(self.cordon, token=self.cordon.token)
        self.assertEqual(self.innocent.run("x = 42", session="mine").status, "success")
        until(lambda: len(self.cordon.containers(self.engine)) >= 2)  # the session's, and a warm one

    def withstand(self, attack, late=LATE):
        """A attacks; B must not notice: its pings are not later than `late`, in seconds. Gives what the attack gives."""
        with unharmed(self, self.innocent, late) as innocent:
            result = attack()
        self.assertGreater(innocent.count, 3)
        self.assertEqual(self.innocent.run("print(x)", session="mine").text, "42\n")
        return result

    def at_once(self, work, count, seconds):
        """Several threads that do it again and again; all that it gave."""
        end, given = time.monotonic() + seconds, []

        def again():
            while time.monotonic() < end:
                given.append(work())

        threads = [threading.Thread(target=again, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return given

    def ping_of(self, client):
        return json.dumps(client.message("ping", {})), client.headers

    def test_pings_as_fast_as_they_can_be_sent(self):
        given = self.withstand(lambda: self.at_once(lambda: self.hostile.post(self.ping_of(self.hostile)[0]).status, 3, 8))
        self.assertIn(200, given)
        self.assertIn(429, given)

    def test_requests_without_a_session_as_fast_as_they_can_be_sent(self):
        stranger = Modern(self.cordon, token=self.cordon.token)
        given = self.withstand(lambda: self.at_once(lambda: stranger.answer("tools/list").status, 3, 8))
        self.assertIn(429, given)

    def test_three_hundred_connections_that_wait(self):
        def hold():
            body, headers = self.ping_of(self.hostile)
            for _ in range(300):
                connection = http.client.HTTPConnection("127.0.0.1", self.cordon.port, timeout=30)
                self.addCleanup(connection.close)
                connection.request("POST", "/mcp", body, headers)
                self.assertIn(connection.getresponse().read()[:1], (b"{", b""))
            time.sleep(1)
            return True

        self.withstand(hold)
        self.assertEqual(Legacy(self.cordon, token=self.cordon.token).answer("ping").status, 200)  # and others come in

    def test_more_sessions_than_there_are_containers(self):
        results = self.withstand(lambda: [self.hostile.run("x = 1", session="s%d" % i).status for i in range(16)])
        self.assertEqual(results, ["success"] * 16)

    def test_large_bodies_of_deep_json(self):
        deep = "[" * 400 + "1" + "]" * 400 + ","
        wide = "".join('"k%d":1,' % i for i in range(90_000))
        bodies = [b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[%s1]}}' % (deep * ((16 << 20) // len(deep) - 2)).encode(),
                  b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{%s"z":1}}' % wide.encode(),
                  b'[%s{"jsonrpc":"2.0","id":1,"method":"ping"}]' % (b'{"jsonrpc":"2.0","method":"x"},' * 400_000),
                  b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python","arguments":{"code":7,"x":[%s1]}}}' % (b"[]," * (5 << 20)),
                  b"[" * (16 << 20), b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"%s"}}}' % (b"#" * (15 << 20))]

        def post():
            with lock:
                body = bodies[counter[0] % len(bodies)]
                counter[0] += 1
            try:
                return self.hostile.post(body).status
            except OSError:
                return 0  # refused before all of it was sent

        lock, counter = threading.Lock(), [0]
        given = self.withstand(lambda: self.at_once(post, 4, 8))
        self.assertTrue(set(given) <= {0, 200, 400, 413, 429, 503}, given)
        self.assertIn(200, given)


class Users(unittest.TestCase):
    """Where several clients are served each container has a user of its own."""

    def setUp(self):
        self.cordon = HttpCordon("--timeout", "20")
        self.addCleanup(self.cordon.close)
        self.clients = [Legacy(self.cordon, token=self.cordon.token) for _ in range(2)]

    def test_who_the_code_is(self):
        seen = set()
        for client in self.clients:
            result = client.run(IDENTITY, session="s")
            self.assertEqual(result.status, "success", result)
            uid, gid, name, home, owned = result.text.splitlines()[0].split(" ")
            self.assertTrue(61184 <= int(uid) <= 65519, uid)
            self.assertEqual((gid, name, home, owned), (uid, "nobody", "/workspace", "True"))
            self.assertIn("/a.txt", result.text)
            seen.add(uid)
        self.assertEqual(len(seen), 2)

    def test_one_takes_all_of_the_kernel_s_pools(self):
        first, second = self.clients
        taken = first.run(TAKE_ALL, session="s")
        self.assertEqual(taken.status, "success", taken)
        counts = {words[0]: words[1:] for words in map(str.split, taken.text.splitlines())}
        self.assertEqual(counts["watches"][1], "EMFILE", taken.text)
        self.assertEqual(counts["timers"][1], "EAGAIN", taken.text)
        self.assertLessEqual(int(counts["timers"][0]), 1024)
        still = second.run(STILL_HAS).text
        if "4294967295" not in still:  # a user namespace: the kernel counts its watches for the engine's user, too, whatever the uid inside
            still = still.replace("False", "True", 1)
        self.assertEqual(still.splitlines()[0], "True True 65536")


if __name__ == "__main__":
    unittest.main()
