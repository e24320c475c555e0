"""What an engine says when it cannot run a container reaches the user with the command that mends it. The engine is a fake, which says in
its answers what real ones were seen to say."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT  # noqa: E402
from fake_engine import UnixEngine  # noqa: E402

# What a create, an attach or a pull was answered with, and a part of the remedy.
SAID = {
    "crun: cgroups in hybrid mode not supported, drop all controllers from cgroupv2": 'runtime = "runc"',
    "crun: sd-bus call: Interactive authentication required.: Permission denied: OCI permission denied": "loginctl enable-linger",
    "there might not be enough IDs available in the namespace: insufficient UIDs or GIDs available in user namespace": "--add-subuids",
    "crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted: OCI permission denied": "default_ulimits",
    "crun: opening file `memory.max` for writing: No such file or directory": "Delegate=",
    "writing blob: storing blob to file \"/var/tmp/storage\": write /var/tmp/storage: no space left on device": "image_copy_tmp_dir",
    "writing blob: adding layer: processing tar file(write /content: no space left on device): exit status 1": "system prune",
    "starting container: setting up network: cannot run with network enabled in root network namespace": "--network=none",
    "lsetxattr /var/lib/containers/x: operation not permitted": "restorecon",
}


class Advice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cordon-advice-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = UnixEngine(self.folder / "s")
        self.addCleanup(self.server.close)

    def cordon(self, *words):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MCP_", "XDG_"))}
        return subprocess.run([CORDON, *words, "--runtime-socket", "unix://%s/s" % self.folder], input="print(1)", capture_output=True, text=True,
                              timeout=LIMIT, env={**kept, "HOME": str(self.folder), "MCP_BRIDGE_STATE_DIR": str(self.folder / "state")})

    def test_a_run_that_fails_says_what_helps(self):
        for words, remedy in SAID.items():
            with self.subTest(words):
                self.server.words = words
                ended = self.cordon("exec", "-")
                self.assertEqual(ended.returncode, 125, ended.stderr)
                self.assertIn(words, ended.stderr)
                self.assertIn(" → ", ended.stderr)
                self.assertIn(remedy, ended.stderr)

    def test_unknown_words_are_left_alone(self):
        self.server.words = "the moon is full"
        self.assertNotIn("→", self.cordon("exec", "-").stderr)

    def test_doctor_says_it_too_and_what_the_engine_does_badly(self):
        self.server.words = next(iter(SAID))
        report = json.loads(self.cordon("doctor", "--json").stdout)
        self.assertIn('runtime = "runc"', report["problems"][0])
        self.assertEqual(["vfs" in each["trouble"] for each in report["advice"]], [True])
        self.assertIn("overlay", report["advice"][0]["remedy"])
        self.assertIn("ADVICE   the storage driver is vfs", self.cordon("doctor").stdout)


if __name__ == "__main__":
    unittest.main()
