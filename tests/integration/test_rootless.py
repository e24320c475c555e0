"""A rootless engine: where it cannot set a limit (cgroup v1), strict refuses and says what, why and what to do; report runs and says so."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, Cordon  # noqa: E402

# scripts/engine has looked, from inside a container
MISSING = ["memory", "processes"] if os.environ.get("MCP_BRIDGE_CONFINEMENT") == "report" else []


class Rootless(unittest.TestCase):
    def run_one(self, mode):
        with Cordon(env={"MCP_BRIDGE_CONFINEMENT": mode}) as cordon:
            result = cordon.run("print('ran')")
            self.assertEqual(cordon.end(), 0)
        self.assertEqual(result.facts.get("notEnforced", []), MISSING)
        for row, asked in {"memory": "512 MiB", "processes": "128"}.items():
            self.assertEqual("%s: asked %s, " % (row, asked) in result.text, row in MISSING, result)
        if MISSING:
            for words in ("the guest sees no limit", "cgroup", "--confinement report"):
                self.assertIn(words, result.text)
        return result

    def test_report_runs_and_says_what_is_not_in_force(self):
        result = self.run_one("report")
        self.assertEqual(result.status, "success")
        self.assertLess(result.facts["peakMemoryBytes"], 512 << 20) # its own, and not all of the host's
        self.assertTrue(result.text.startswith("ran\n[not enforced: memory" if MISSING else "ran\n"), result)

    def test_strict_runs_nothing_where_anything_falls_short(self):
        result = self.run_one("strict")
        self.assertEqual(result.status, "refused" if MISSING else "success")
        self.assertEqual("ran" in result.text.splitlines(), not MISSING, result)

    def test_doctor_says_the_same_and_its_status_is_strict_s(self):
        with tempfile.TemporaryDirectory(prefix="cordon-doctor-") as home:
            ended = subprocess.run([CORDON, "doctor", "--json"], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "HOME": home, "MCP_BRIDGE_STATE_DIR": home + "/state"})
        report = json.loads(ended.stdout)
        short = [row["row"] for row in report["confinement"] if not row["ok"]]
        self.assertEqual((short, report["strictWouldRun"], ended.returncode), (MISSING, not MISSING, 1 if MISSING else 0))


if __name__ == "__main__":
    unittest.main()
