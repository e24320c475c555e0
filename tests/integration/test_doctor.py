"""`cordon doctor`: what it says of an engine, and the attack suite that it carries, run on this one."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, Engine  # noqa: E402
from engine_way import CuttableEngine  # noqa: E402

ATTACKS = sorted(path.stem for path in (ROOT / "tests" / "attack").glob("*.py") if path.name != "run.py")
SUITE_LIMIT = 480  # seconds, for the whole suite on a busy host


class Doctor(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="cordon-doctor-")
        self.addCleanup(self.home.cleanup)
        self.state = pathlib.Path(self.home.name, "state")
        self.engine = Engine()

    def environment(self, **more):
        return dict(os.environ, HOME=self.home.name, MCP_BRIDGE_STATE_DIR=str(self.state), **more)

    def doctor(self, *flags, limit=LIMIT * 2, **environment):
        return subprocess.run([CORDON, "doctor", *flags], capture_output=True, text=True, timeout=limit, env=self.environment(**environment))

    def wait_until(self, what, holds):
        end = time.monotonic() + LIMIT
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.1)

    def instances(self):
        return [path.stem for path in (self.state / "instances").glob("*.lock")]

    def containers(self, instances):
        return [name for each in instances for name in self.engine.containers("io.cordon.instance=" + each)]

    def test_an_engine_that_runs_as_root_is_refused_and_the_way_out_is_said(self):
        ended = self.doctor(MCP_BRIDGE_ALLOW_ROOTFUL="0")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("rootful", ended.stdout)
        self.assertIn("--allow-rootful", ended.stdout)
        self.assertIn("would NOT run", ended.stdout)

    def test_a_socket_that_does_not_exist_is_listed(self):
        socket = "unix://%s/nobody.sock" % self.home.name
        ended = self.doctor("--json", MCP_BRIDGE_RUNTIME_SOCKET=socket)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        report = json.loads(ended.stdout)
        self.assertFalse(report["strictWouldRun"])
        self.assertEqual([(each["url"], each["taken"]) for each in report["tried"]], [(socket, False)])
        self.assertIn(socket, self.doctor(MCP_BRIDGE_RUNTIME_SOCKET=socket).stdout)

    def test_nothing_is_attacked_where_there_is_no_container(self):
        ended = self.doctor("--self-test", "--json", MCP_BRIDGE_RUNTIME_SOCKET="unix://%s/nobody.sock" % self.home.name)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        tested = json.loads(ended.stdout)["selfTest"]
        self.assertEqual((tested["passed"], tested["attacks"]), (False, []))
        self.assertIn("no container", tested["problem"])

    def test_code_would_run_but_not_with_all_servers(self):
        missing = self.home.name + "/gone.json"
        ended = self.doctor(MCP_SERVERS_CONFIG=missing)
        self.assertEqual(ended.returncode, 3, ended.stdout)
        self.assertIn("SERVER   ~/gone.json: No such file or directory\n", ended.stdout)
        self.assertIn("Code would run here with --confinement strict.\nNot all configured servers can be used", ended.stdout)
        report = json.loads(self.doctor("--json", MCP_SERVERS_CONFIG=missing).stdout)
        self.assertEqual((report["strictWouldRun"], report["serverFaults"]), (True, ["~/gone.json: No such file or directory"]))

    def test_its_attacks_are_held_here(self):
        ended = self.doctor("--self-test", "--json", limit=SUITE_LIMIT)
        report = json.loads(ended.stdout)
        attacks = report["selfTest"]["attacks"]
        self.assertEqual([each["name"] for each in attacks], ATTACKS)  # built from this tree, and all of it
        self.assertEqual([each for each in attacks if each["verdict"] not in ("held", "notTried")], [])
        self.assertGreaterEqual(sum(each["verdict"] == "held" for each in attacks), 60)
        for each in attacks:
            self.assertTrue(each["verdict"] == "held" or each["why"], each)
        self.assertTrue(report["strictWouldRun"])
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_ctrl_c_ends_it_and_leaves_nothing(self):
        with subprocess.Popen([CORDON, "doctor", "--self-test"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.environment()) as process:
            try:
                for line in process.stdout:
                    if line.startswith("held"):
                        break
                instances = self.instances()
                self.assertEqual(len(instances), 1)
                process.send_signal(signal.SIGINT)
                rest = process.stdout.read()
                self.assertEqual(process.wait(LIMIT), 1, process.stderr.read())
            finally:
                process.kill()
        self.assertIn("stopped before its end", rest)
        self.assertRegex(rest.splitlines()[-1], re.compile(r"^\d+ held, 0 won, 0 not tried$"))
        self.wait_until("containers are left", lambda: not self.containers(instances))


class Walls(unittest.TestCase):
    """Rows that tell what was tried from inside, on this engine and this kernel."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="cordon-walls-") as home:
            environment = dict(os.environ, HOME=home, MCP_BRIDGE_STATE_DIR=home + "/state")
            said = subprocess.run([CORDON, "doctor", "--json"], capture_output=True, text=True, timeout=LIMIT * 2, env=environment)
        cls.report = json.loads(said.stdout)
        cls.rows = {row["row"]: row for row in cls.report["confinement"]}

    def test_the_engine_s_profile_refuses_what_it_should_and_what_gets_through_is_named(self):
        seen = self.rows["seccomp"]
        self.assertTrue(seen["ok"], seen)
        self.assertNotIn("would refuse", seen["guest"])
        if self.report["engine"]["dialect"] == "docker":
            self.assertEqual(seen["guest"], "in force")
        else:
            self.assertIn("like podman's own profile it lets through keyctl, mount, ", seen["guest"])

    def test_landlock_is_in_force_where_this_kernel_has_it(self):
        seen, abi = self.rows["landlock"], ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
        self.assertTrue(seen["ok"], seen)
        self.assertIn("in force, ABI %d: writes" % abi if abi >= 2 else "not available: ", seen["guest"])

    def test_what_is_told_and_not_judged(self):
        self.assertTrue(self.rows["LSM label"]["ok"] and self.rows["LSM label"]["guest"], self.rows["LSM label"])
        limits = self.rows["other rlimits"]
        self.assertTrue(limits["ok"], limits)
        for name in ("as", "cpu", "data", "fsize", "locks", "rss", "rttime", "stack"):
            self.assertRegex(limits["guest"], r"\b%s\b" % name)


class Haste(unittest.TestCase):
    """An engine is used before it has described itself, where who listens at its socket is the user."""

    @unittest.skipIf(os.getuid() != 0, "needs root: for an engine that is root's, and a user who is not")
    def test_root_s_engine_behind_a_socket_of_the_user_s_own_runs_nothing(self):
        user, engine = 12345, Engine()
        with tempfile.TemporaryDirectory(prefix="cordon-haste-") as folder:
            os.chown(folder, user, user)
            program = shutil.copy(CORDON, folder)  # its own folder may be closed to others
            os.seteuid(user)
            try:
                way = CuttableEngine(engine)
            finally:
                os.seteuid(0)
            self.addCleanup(way.close)
            environment = {name: value for name, value in os.environ.items() if name != "MCP_BRIDGE_ALLOW_ROOTFUL"}
            environment.update(HOME=folder, MCP_BRIDGE_STATE_DIR=folder + "/state", MCP_BRIDGE_RUNTIME_SOCKET=way.url)
            before = set(engine.containers())
            done = subprocess.run(["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", program, "exec", "-"],
                                  input="print('ran')", capture_output=True, text=True, timeout=LIMIT * 2, env=environment)
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertIn("rootful: passed over (--allow-rootful takes it)", done.stderr)
        self.assertGreater(way.count, 3, "it did not hurry: this test shows nothing")
        self.assertLessEqual(set(engine.containers()), before)


if __name__ == "__main__":
    unittest.main()
