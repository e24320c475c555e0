"""The engine itself is restarted, as an update does, and crashes, as a lack of memory does: in mid-run and between runs."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import LIMIT, ROOT, Cordon, Engine, alive, cpu_seconds, until  # noqa: E402

BUSY = "print('busy', flush=True)\nwhile True: pass"
WAYS = ([], ["--crash"])  # of a restart, as flags of scripts/engine


class Restarts(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.cordon = Cordon()
        self.addCleanup(self.cordon.close)

    def restart(self, flags):
        command = [ROOT / "scripts" / "engine", "restart", *os.environ["CORDON_ENGINE_FLAGS"].split(), *flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def guests(self):
        return {pid for name in self.cordon.containers(self.engine) for pid in self.engine.processes(name)}

    def assert_ends_and_leaves_nothing(self):
        instances = self.cordon.instances()
        self.assertEqual(len(instances), 1)
        self.assertEqual(self.cordon.end(), 0)
        until(lambda: not self.engine.containers("io.cordon.instance=" + instances[0]), 25)

    def test_in_mid_run_it_is_said_and_the_next_run_works(self):
        for flags in WAYS:
            with self.subTest(flags):
                run = self.cordon.start_run(BUSY, timeout=100)[1]
                until(lambda: any(cpu_seconds(pid) > 0.3 for pid in self.guests()), LIMIT)
                mine, names = self.guests(), self.cordon.containers(self.engine)
                self.restart(flags)
                result = run.result(LIMIT)["result"]
                self.assertTrue(result["isError"])
                text = "".join(block["text"] for block in result["content"])
                self.assertIn("the container ended before the code did", text)
                self.assertIn("busy", text)
                self.assertEqual(self.cordon.run("print('next')").text, "next\n")
                until(lambda: not [pid for pid in mine if alive(pid)], LIMIT)
                until(lambda: not set(names) & set(self.cordon.containers(self.engine)), LIMIT)
        self.assert_ends_and_leaves_nothing()

    def test_between_runs_the_next_one_does_not_notice(self):
        for flags in WAYS:
            with self.subTest(flags):
                self.assertEqual(self.cordon.run("print(1)").text, "1\n")
                until(lambda: len(self.guests()) >= 2, LIMIT) # the next one's container is warm, or comes to be
                warm = self.cordon.containers(self.engine)
                self.restart(flags)
                self.assertEqual(self.cordon.run("print('next')").text, "next\n")
                until(lambda: not set(warm) & set(self.cordon.containers(self.engine)), LIMIT)
        self.assert_ends_and_leaves_nothing()

    def test_a_session_that_it_took_is_begun_anew_and_that_is_said(self):
        self.assertEqual(self.cordon.run("x = 1\nprint(x)", session="s").text, "1\n")
        self.restart([])
        self.assertEqual(self.cordon.run("print('x' in globals())", session="s").text, 'False\n[session "s" begins anew: its container ended]')
        self.assert_ends_and_leaves_nothing()

    def test_what_a_service_that_died_removed_by_half_is_swept(self):
        if not self.engine.podman:
            self.skipTest("podman alone keeps two records of a container")
        half = self.engine.stranger(deadline="1000")
        store = json.loads(self.engine.request("GET", "/v4.0.0/libpod/info")[2])["store"]["graphRoot"]
        pathlib.Path(store, "overlay-containers", "containers.json").write_text("[]")
        self.restart([]) # it held the record in memory
        self.assertIn(half, self.engine.containers("io.cordon"))
        self.assertEqual(self.cordon.run("print(1)").text, "1\n")
        until(lambda: half not in self.engine.containers("io.cordon"), LIMIT * 2)
        self.assertEqual(self.engine.request("GET", "/containers/json?all=true")[0], 200)


if __name__ == "__main__":
    unittest.main()
