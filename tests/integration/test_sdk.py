"""MCP clients that nobody of us wrote: the official TypeScript SDK, both generations, over stdio and HTTP, each with a real engine behind Cordon."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, NPM, npm_server, until  # noqa: E402
from cordon_http import HttpCordon  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
NODE = NPM / "node" / "bin" / "node"  # the SDK's second generation needs Node 22, whatever the host has


def running(mark):
    """Whether any process on this host was started with an argument that begins so."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if ("\0" + mark).encode() in path.read_bytes():
                return True
        except OSError:
            pass
    return False


class Conversation(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="cordon-sdk-")
        self.addCleanup(made.cleanup)
        self.home, self.files = made.name, made.name + "/files"
        for name in ("MCPs", "files"):
            pathlib.Path(self.home, name).mkdir()
        pathlib.Path(self.files, "a.txt").write_text("a")
        pathlib.Path(self.home, "MCPs", "servers.json").write_text(json.dumps({"mcpServers": {
            "filesystem": npm_server("@modelcontextprotocol/server-filesystem", self.files),
            "memory": npm_server("@modelcontextprotocol/server-memory", env={"MEMORY_FILE_PATH": self.home + "/memory.json"})}}))

    def converse(self, sdk, era, target, mark, **environment):
        environment = dict(os.environ, HOME=self.home, MCP_BRIDGE_STATE_DIR=self.home + "/state", CORDON_NPM=str(NPM), **environment)
        environment["CORDON_PREWARM"] = "0"  # a client that goes at once kills after four seconds, also one that waits for a slow engine
        ended = subprocess.run([NODE, HERE / "sdk.mjs", sdk, era, target, self.files, mark], env=environment, capture_output=True, text=True, timeout=LIMIT * 5)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertGreater(ended.stdout.count("ok "), 12)
        until(lambda: not running(mark), LIMIT)

    def check(self, sdk, era, transport):
        mark = str(10 ** 9 + int.from_bytes(os.urandom(3), "big"))  # seconds, to `sleep`
        if transport == "stdio":
            self.converse(sdk, era, CORDON, mark)
        else:
            with HttpCordon(home=self.home) as cordon:
                self.converse(sdk, era, cordon.url, mark, CORDON_TOKEN=cordon.token)
        self.assertEqual(list(pathlib.Path(self.home, "state", "instances").glob("*.lock")), [])


class Sdk(Conversation):
    """Each generation in the era that it was made for."""

    def test_v1_over_stdio(self):
        self.check("v1", "legacy", "stdio")

    def test_v1_over_http(self):
        self.check("v1", "legacy", "http")

    def test_v2_over_stdio(self):
        self.check("v2", "modern", "stdio")

    def test_v2_over_http(self):
        self.check("v2", "modern", "http")


class NewSdkOldEra(Conversation):
    def test_over_stdio(self):
        self.check("v2", "legacy", "stdio")

    def test_over_http(self):
        self.check("v2", "legacy", "http")


if __name__ == "__main__":
    unittest.main()
