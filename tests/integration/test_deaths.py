"""Every way out: after each, no container, no upstream process and no file of ours is left (issue Confinement, 4 and 5)."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, Cordon, Engine, alive, cpu_seconds, until  # noqa: E402
from engine_way import CuttableEngine  # noqa: E402

BUSY = "print('busy', flush=True)\nwhile True: pass"
# A server whose grandchild has left the process group and ignores what it can: only the keeper can end it.
STUBBORN = """
import json, os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    os._exit(0)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "slow", "inputSchema": {"type": "object"}}]}
    elif message["method"] == "tools/call":
        for path in sys.argv[1:]: open(path, "w").close()
        time.sleep(600)
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


class Deaths(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-deaths-")
        self.addCleanup(self.folder.cleanup)
        script = pathlib.Path(self.folder.name, "stubborn.py")
        script.write_text(STUBBORN)
        self.called = pathlib.Path(self.folder.name, "called")
        self.servers = {"stubborn": {"command": sys.executable, "args": [str(script), str(self.called)]}}

    def begin(self, *flags, **more):
        """A cordon with one call that spins, one that waits for a tool that never answers, and so an upstream server with a grandchild."""
        self.called.unlink(missing_ok=True)
        cordon = Cordon(*flags, servers=self.servers, **more)
        self.addCleanup(cordon.close)
        self.runs = [cordon.start_run(BUSY, timeout=100), cordon.start_run("print('calling', flush=True)\nawait mcp_stubborn.slow()", timeout=100)]
        until(lambda: len(cordon.containers(self.engine)) >= 2, LIMIT)
        # the keeper, the server, and the grandchild that left them
        until(lambda: len([pid for pid in cordon.children() if self.cmdline(pid).count("stubborn")]) >= 2, LIMIT)
        until(lambda: self.called.exists() and any(cpu_seconds(pid) > 0.3 for pid in self.guests(cordon)), LIMIT)
        self.instances = cordon.instances()
        self.children = cordon.children()
        return cordon

    @staticmethod
    def cmdline(pid):
        try:
            return pathlib.Path("/proc", str(pid), "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            return ""

    def assert_nothing_left(self, limit=25):
        until(lambda: not [name for each in self.instances for name in self.engine.containers("io.cordon.instance=" + each)], limit)
        until(lambda: not [pid for pid in self.children if alive(pid)], limit)

    def user_code_runs(self):
        return [pid for pid in self.mine if alive(pid)]

    def guests(self, cordon):
        """Processes of its containers, as the host sees them (the engine is on this host)."""
        return {pid for name in cordon.containers(self.engine) for pid in self.engine.processes(name)}

    def test_end_of_input(self):
        cordon = self.begin()
        self.assertEqual(cordon.end(20), 0)
        self.assert_nothing_left()

    def test_signals_end_it_and_within_100_ms_no_code_runs(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                cordon = self.begin()
                self.mine = self.guests(cordon)
                self.assertGreaterEqual(len(self.mine), 4)
                cordon.process.send_signal(number)
                # clients kill 100 ms after the first signal: whatever is then still to do, no code may run on
                time.sleep(0.1)
                cordon.process.kill()
                until(lambda: not self.user_code_runs(), 5)
                cordon.process.wait(10)
                until(lambda: not [pid for pid in self.children if alive(pid)], 10)
                self.sweep_after()

    def sweep_after(self):
        """What a kill in the middle of cleaning up leaves is dead, and the next start removes it."""
        with Cordon() as next_one:
            self.assertEqual(next_one.run("print(1)").text, "1\n")
            self.assert_nothing_left()

    def test_sigkill_of_cordon_itself(self):
        cordon = self.begin()
        self.mine = self.guests(cordon)
        cordon.process.kill()
        cordon.process.wait(10)
        until(lambda: not self.user_code_runs(), 5)
        self.assert_nothing_left()

    def test_a_signal_alone_is_enough(self):
        cordon = self.begin()
        cordon.process.terminate()
        self.assertEqual(cordon.process.wait(15), 0)
        self.assert_nothing_left(5)

    def test_the_parent_s_death_although_its_input_stays_open(self):
        # the parent dies, but this test holds the other end of Cordon's stdin
        script = ("import subprocess, sys\n"
                  "child = subprocess.Popen([sys.argv[1], 'serve'], stdin=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
                  "print(child.pid, flush=True)\n"
                  "sys.stdin = None\n"
                  "import time; time.sleep(600)\n")
        read, write = os.pipe()
        parent = subprocess.Popen([sys.executable, "-c", script, CORDON], stdin=read, stdout=subprocess.PIPE, text=True,
                                  env=dict(os.environ, HOME=self.folder.name, MCP_BRIDGE_STATE_DIR=self.folder.name + "/state"))
        os.close(read)
        child = int(parent.stdout.readline())
        os.write(write, b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
                        b'"clientInfo":{"name":"t","version":"1"}}}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python",'
                        b'"arguments":{"code":"while True: pass","timeout":100}}}\n')
        instances = pathlib.Path(self.folder.name, "state", "instances")
        until(lambda: instances.exists() and list(instances.glob("*.lock")), LIMIT)
        self.instances, self.children = [path.stem for path in instances.glob("*.lock")], [child]
        until(lambda: self.engine.containers("io.cordon.instance=" + self.instances[0]), LIMIT)
        parent.kill()
        parent.wait(10)
        self.assert_nothing_left()
        os.close(write)
        parent.stdout.close()

    def test_a_client_that_no_longer_reads(self):
        cordon = self.begin()
        cordon.go_deaf()
        until(lambda: cordon.process.poll() is not None, 20)
        self.assert_nothing_left()

    def test_the_way_to_the_engine_is_cut_in_mid_run_and_comes_back(self):
        way = CuttableEngine(self.engine)
        self.addCleanup(way.close)
        cordon = self.begin(env={"MCP_BRIDGE_RUNTIME_SOCKET": way.url})
        way.cut("refuse")
        for _, answer in self.runs:
            result = answer.result(LIMIT)["result"]
            self.assertTrue(result["isError"])
            self.assertIn("the container ended before the code did", result["content"][0]["text"])
        refused = cordon.run("print(1)")
        self.assertTrue(refused.is_error)
        way.mode = "open"
        until(lambda: cordon.run("print('back')").text == "back\n", LIMIT)
        self.assertEqual(cordon.end(20), 0)
        self.assert_nothing_left()

    def requests_of_a_run(self):
        """The first line of each, from the search for the engine to the removal."""
        way = CuttableEngine(self.engine)
        self.addCleanup(way.close)
        with Cordon("--pool", "0", env={"MCP_BRIDGE_RUNTIME_SOCKET": way.url}) as cordon:
            self.assertEqual(cordon.run("print('made it')").text, "made it\n")
            until(lambda: any(each.startswith("DELETE") for each in way.requests), LIMIT)
            requests = list(way.requests)
        for wanted in ("/create", "/attach", "/start"):
            self.assertTrue([each for each in requests if wanted in each], requests)
        return requests[:next(i for i, each in enumerate(requests) if each.startswith("DELETE")) + 1]

    def test_a_connection_cut_between_any_two_steps_leaves_nothing(self):
        requests = self.requests_of_a_run()
        for step, request in enumerate(requests, 1):
            with self.subTest(step=step, request=request):
                way = CuttableEngine(self.engine)
                cordon = Cordon("--pool", "0", env={"MCP_BRIDGE_RUNTIME_SOCKET": way.url})
                way.cut_at = step
                result = cordon.run("print('made it')", timeout=20)
                until(lambda: way.cut_at is None, LIMIT)  # it was cut; the last one comes behind the answer
                if step < len(requests):
                    self.assertIn(result.status, ("refused", "error"), result)
                    self.assertGreater(len(result.text), 10)
                else:
                    self.assertEqual(result.text, "made it\n")
                self.instances, self.children = cordon.instances(), cordon.children()
                way.mode = "open"
                until(lambda: cordon.run("print('again')").text == "again\n", LIMIT)
                self.assertEqual(cordon.end(20), 0)
                self.assert_nothing_left()
                cordon.close()
                way.close()

    def test_an_engine_that_hangs_is_said_and_ends_in_time(self):
        way = CuttableEngine(self.engine)
        self.addCleanup(way.close)
        way.mode = "hang"
        cordon = Cordon(env={"MCP_BRIDGE_RUNTIME_SOCKET": way.url})
        self.addCleanup(cordon.close)
        began = time.monotonic()
        result = cordon.run("print(1)")
        self.assertTrue(result.is_error)
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(cordon.request("ping"), {})
        self.assertEqual(cordon.end(20), 0)

    def test_an_engine_that_hangs_in_the_midst_of_a_start_is_no_reason_to_crash(self):
        for step in range(1, 8):
            with self.subTest(step=step):
                way = CuttableEngine(self.engine)
                self.addCleanup(way.close)
                way.hang_at = step
                cordon = Cordon("--pool", "0", env={"MCP_BRIDGE_RUNTIME_SOCKET": way.url})
                self.addCleanup(cordon.close)
                cordon.start_run("print(1)", timeout=20)
                until(lambda: way.mode == "hang", LIMIT)
                self.assertEqual(cordon.end(20), 0)

    def test_the_guest_ends_itself_when_its_host_hangs(self):
        cordon = Cordon()
        self.addCleanup(cordon.close)
        cordon.start_run(BUSY, timeout=100)
        until(lambda: any(cpu_seconds(pid) > 0.3 for pid in self.guests(cordon)), LIMIT)
        self.mine = self.guests(cordon)
        cordon.process.send_signal(signal.SIGSTOP)
        try:
            until(lambda: not self.user_code_runs(), 60) # no heartbeat: a laptop that sleeps, a link that is cut
        finally:
            cordon.process.send_signal(signal.SIGCONT)

    def test_leftovers_of_the_dead_are_swept_and_the_living_are_left_alone(self):
        living = Cordon()
        self.addCleanup(living.close)
        run = living.start_run("import time; time.sleep(8); print('lived')", timeout=60)[1]
        until(lambda: living.containers(self.engine), LIMIT)
        dead = Cordon(env={"MCP_BRIDGE_POOL": "2"})
        self.addCleanup(dead.close)
        self.assertEqual(dead.run("print(1)").text, "1\n")
        self.instances, self.children = dead.instances(), []
        # stopped containers do not end themselves: made, never started
        until(lambda: dead.containers(self.engine), LIMIT)
        dead.process.kill()
        dead.process.wait(10)
        with Cordon() as other:
            self.assertEqual(other.run("print(2)").text, "2\n")
            self.assert_nothing_left()
        self.assertEqual(run.result(LIMIT)["result"]["content"][0]["text"], "lived\n")

    def test_nothing_stays_in_the_state_folder_or_tmp(self):
        with tempfile.TemporaryDirectory(prefix="tmp-of-") as folder, Cordon(env={"TMPDIR": folder, "XDG_RUNTIME_DIR": folder}) as cordon:
            self.assertEqual(cordon.run("print(1)").text, "1\n")
            state = pathlib.Path(cordon.home.name, "state")
            self.assertEqual(cordon.end(20), 0)
            self.assertEqual(list((state / "instances").iterdir()), [])
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
