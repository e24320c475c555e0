"""What an engine says when it cannot run a container reaches the user with the command that mends it. The engine is a fake, which says in
its answers what real ones were seen to say."""
import http.server
import json
import os
import pathlib
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT  # noqa: E402

INFO = {"host": {"arch": "amd64", "cgroupControllers": ["memory", "pids", "cpu"], "cgroupVersion": "v2", "cgroupManager": "systemd",
                 "distribution": {"distribution": "debian", "version": "12"}, "hostname": "fake", "kernel": "6.1", "cpus": 2, "memTotal": 1 << 30,
                 "ociRuntime": {"name": "crun"}, "security": {"rootless": True, "seccompEnabled": True, "apparmorEnabled": False,
                                                              "selinuxEnabled": False}},
        "store": {"graphDriverName": "vfs"}, "version": {"Version": "4.3.1", "APIVersion": "4.3.1"}}

# What a create, an attach or a pull was answered with, and a part of the remedy.
SAID = {
    "crun: cgroups in hybrid mode not supported, drop all controllers from cgroupv2": "--oci-runtime runc",
    "crun: sd-bus call: Interactive authentication required.: Permission denied: OCI permission denied": "loginctl enable-linger",
    "there might not be enough IDs available in the namespace: insufficient UIDs or GIDs available in user namespace": "--add-subuids",
    "crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted: OCI permission denied": "default_ulimits",
    "crun: opening file `memory.max` for writing: No such file or directory": "Delegate=",
    "writing blob: storing blob to file \"/var/tmp/storage\": write /var/tmp/storage: no space left on device": "system prune",
    "lsetxattr /var/lib/containers/x: operation not permitted": "restorecon",
}


class Engine(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    words = ""


class Handler(http.server.BaseHTTPRequestHandler):
    def address_string(self):
        return "unix"

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in (("Api-Version", "1.41"), ("Libpod-Api-Version", "4.3.1"), ("Content-Length", str(len(body))), ("Connection", "close")):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/_ping":
            self.answer(200, b"OK")
        elif self.path.endswith("/info"):
            self.answer(200, INFO)
        elif "/images/" in self.path:
            self.answer(200, {"Id": "1"})
        else:
            self.answer(200, [])

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(500, {"cause": "x", "message": self.server.words, "response": 500})

    def do_DELETE(self):
        self.answer(404, {"message": "no such container"})


class Advice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cordon-advice-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Engine(str(self.folder / "s"), Handler)
        self.addCleanup(self.server.server_close)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(self.server.shutdown)

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
        self.assertIn("--oci-runtime runc", report["problems"][0])
        self.assertEqual(["vfs" in each["trouble"] for each in report["advice"]], [True])
        self.assertIn("overlay", report["advice"][0]["remedy"])
        self.assertIn("ADVICE   the storage driver is vfs", self.cordon("doctor").stdout)


if __name__ == "__main__":
    unittest.main()
