"""`cordon servers`: each upstream server as it is configured and as it stands. No engine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT  # noqa: E402


def mini(mode, **more):
    return {"command": sys.executable, "args": [str(ROOT / "tests" / "fakes" / "mini.py"), mode], **more}


SERVERS = {"good": mini("ok", description="echoes\u001b[31m"), "newest": mini("modern"), "old one": mini("old"), "pages": mini("page"), "broken": mini("crash"),
           "silent": mini("never", start_timeout=1), "unset": mini("ok", env={"KEY": "${CORDON_TEST_NOT_SET}"}), "off": mini("ok", disabled=True),
           "nowhere": {"type": "http", "url": "http://127.0.0.1:1/mcp"}, "no-command": {"command": "no-such-command"}}


class Servers(unittest.TestCase):
    def listed(self, *flags):
        with tempfile.TemporaryDirectory(prefix="cordon-servers-") as folder:
            (pathlib.Path(folder) / "MCPs").mkdir()
            (pathlib.Path(folder) / "MCPs" / "mine.json").write_text(json.dumps({"mcpServers": SERVERS}))
            ended = subprocess.run([CORDON, "servers", *flags], env={"HOME": folder, "PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, timeout=LIMIT * 2)
        self.assertEqual(ended.returncode, 1, ended.stderr)  # one that should start did not
        return ended.stdout

    def test_the_folder_of_mcp_server_code_execution_mode_is_named_as_the_source(self):
        with tempfile.TemporaryDirectory(prefix="cordon-servers-") as folder:
            place = pathlib.Path(folder, ".config", "mcp", "servers")
            place.mkdir(parents=True)
            (place / "theirs.json").write_text(json.dumps({"mcpServers": {"good": SERVERS["good"]}}))
            ended = subprocess.run([CORDON, "servers"], env={"HOME": folder, "PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, timeout=LIMIT * 2)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("good (mcp_good): ready", ended.stdout)
        self.assertIn("from ~/.config/mcp/servers/theirs.json", ended.stdout)

    def test_as_json(self):
        found = {each["name"]: each for each in json.loads(self.listed("--json"))["servers"]}
        self.assertEqual(list(found), list(SERVERS))
        rows = {name: (each["state"], each["transport"], each["era"], each["version"], len(each["tools"])) for name, each in found.items()}
        self.assertEqual(rows, {
            "good": ("ready", "stdio", "legacy", "2025-11-25", 1), "newest": ("ready", "stdio", "modern", "2026-07-28", 1),
            "old one": ("ready", "stdio", "legacy", "2024-11-05", 1), "pages": ("ready", "stdio", "legacy", "2025-11-25", 3),
            "broken": ("failed", "stdio", "", "", 0), "silent": ("failed", "stdio", "", "", 0), "unset": ("unusable", "stdio", "", "", 0),
            "off": ("disabled", "stdio", "", "", 0), "nowhere": ("failed", "http", "", "", 0), "no-command": ("failed", "stdio", "", "", 0)})
        self.assertEqual({each["source"] for each in found.values()}, {"~/MCPs/mine.json"})
        self.assertEqual((found["good"]["reason"], found["good"]["tools"]), ("", [{"name": "a", "alias": "a"}]))
        for name, words in (("broken", "exited with status 3; what it wrote is for the user"), ("silent", "did not answer initialize"), ("unset", "CORDON_TEST_NOT_SET"),
                            ("off", "disabled"), ("nowhere", "127.0.0.1:1"), ("no-command", "not found in PATH=")):
            self.assertIn(words, found[name]["reason"])
        self.assertEqual((found["broken"]["words"], found["good"]["words"]), ("fatal: config missing", ""))

    def test_for_people(self):
        text = self.listed()
        self.assertIn("good (mcp_good): ready, stdio, legacy era, protocol 2025-11-25\n  from ~/MCPs/mine.json\n  echoes\\x1b[31m\n  1 tools: a\n", text)
        self.assertIn("newest (mcp_newest): ready, stdio, modern era, protocol 2026-07-28\n", text)
        self.assertIn("broken (mcp_broken): failed, stdio\n  from ~/MCPs/mine.json\n  why: ", text)
        self.assertIn("\n  it last wrote: fatal: config missing\n", text)
        self.assertNotIn("\u001b", text)  # a server's words are not the terminal's


if __name__ == "__main__":
    unittest.main()
