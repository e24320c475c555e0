"""MCP clients that nobody of us wrote: the official TypeScript SDK over stdio."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, NPM, npm_server  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


class Sdk(unittest.TestCase):
    def test_v1_over_stdio(self):
        with tempfile.TemporaryDirectory(prefix="cordon-sdk-") as folder:
            home = pathlib.Path(folder)
            (home / "MCPs").mkdir()
            (home / "files").mkdir()
            (home / "files" / "a.txt").write_text("a")
            (home / "MCPs" / "servers.json").write_text(json.dumps({"mcpServers": {
                "filesystem": npm_server("@modelcontextprotocol/server-filesystem", folder + "/files"),
                "memory": npm_server("@modelcontextprotocol/server-memory", env={"MEMORY_FILE_PATH": folder + "/memory.json"})}}))
            environment = dict(os.environ, HOME=folder, MCP_BRIDGE_STATE_DIR=folder + "/state", CORDON_NPM=str(NPM))
            ended = subprocess.run(["node", str(HERE / "sdk_v1.mjs"), CORDON, folder + "/files"], env=environment, capture_output=True, text=True,
                                   timeout=300)
            print(ended.stdout)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertGreater(ended.stdout.count("ok "), 12)
            self.assertEqual(list((home / "state" / "instances").glob("*.lock")), [])


if __name__ == "__main__":
    unittest.main()
