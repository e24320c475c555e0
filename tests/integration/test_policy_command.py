"""`cordon policy`: the rules in force, and what would become of one call. No engine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, npm_server  # noqa: E402

POLICY = """\
[server.files]
trust_hints = true

[[rule]]
name = "notes"
server = "files"
read_only = true
when = { at = "/path", under = "~/notes" }
action = "allow"
calls_per_run = 7

[[rule]]
server = "files"
tool = "write_*"
action = "ask"

[[rule]]
server = "fils"
action = "deny"

[[rule]]
server = "files"
action = "deny"
"""


class Policy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="cordon-policy-")
        cls.home = pathlib.Path(cls.kept.name)
        cls.file = cls.home / ".config" / "cordon" / "policy.toml"
        cls.file.parent.mkdir(parents=True)
        (cls.home / "notes").mkdir()
        (cls.home / "MCPs").mkdir()
        servers = {"files": npm_server("@modelcontextprotocol/server-filesystem", str(cls.home / "notes")), "web": {"command": "never-started"}}
        (cls.home / "MCPs" / "mine.json").write_text(json.dumps({"mcpServers": servers}))

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def setUp(self):
        self.write(POLICY)

    def write(self, text):
        self.file.write_text(text)
        self.file.chmod(0o600)

    def cordon(self, *words, status=0, command="policy"):
        ended = subprocess.run([CORDON, command, *words], env={"HOME": str(self.home), "PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def test_the_rules_in_force_in_their_order_flags_first(self):
        text = self.cordon("--deny", "web.*", "--ask=files.list_*", "--deny", "files.move_*")
        self.assertIn(f"policy file: {self.file}", text)
        places = [text.index(part) for part in ("deny web.*", "deny files.move_*", "ask files.list_*", "allow files.* where it only reads and /path is under",
                                                "ask files.write_*", "deny fils.*", "allow all else")]
        self.assertEqual(places, sorted(places), text)
        self.assertIn(f'rule "notes" ({self.file}:4)', text)
        self.assertIn('no server is called "fils" (did you mean "files"?)', text)
        rules = json.loads(self.cordon("--json"))["rules"]
        self.assertEqual([(rule["action"], rule["server"]) for rule in rules],
                         [("allow", ["files"]), ("ask", ["files"]), ("deny", ["fils"]), ("deny", ["files"])])

    def test_a_call_would_be_allowed_refused_or_asked_and_the_rule_is_named(self):
        inside = json.dumps({"path": str(self.home / "notes" / "a.md")})
        text = self.cordon("test", "files.read_text_file", inside)
        self.assertIn(f'allowed by rule "notes" ({self.file}:4)', text)
        self.assertIn("calls_per_run = 7", text)
        for path in ("/etc/passwd", f"{self.home}/notes/../secret", "a.md", "~/notes/a", f"{self.home}/notesx"):
            text = self.cordon("test", "files.read_text_file", json.dumps({"path": path}), status=1)
            self.assertIn(f"refused by the rule at {self.file}:21", text)
            self.assertIn(f"only where /path is under {self.home}/notes", text)
            self.assertIn('tool = "read_text_file"', text)
        self.assertIn("must be asked", self.cordon("test", "files.write_file", inside, status=3))
        self.assertIn("allowed by the default", self.cordon("test", "web.anything"))
        self.assertIn("--deny web", self.cordon("test", "web.anything", "--deny", "web", status=1))
        self.assertIn("depends on the arguments", self.cordon("test", "files.read_text_file", status=1))
        decided = json.loads(self.cordon("test", "--json", "mcp_files.write_file", status=3))
        self.assertEqual((decided["tool"], decided["decision"]), ("files.write_file", "ask"))

    def test_what_is_asked_of_it_wrongly(self):
        self.assertIn('did you mean "files"', self.cordon("test", "flies.read", status=2))
        self.assertIn("expected SERVER.TOOL", self.cordon("test", "files", status=2))
        self.assertIn("must be a JSON object", self.cordon("test", "web.x", "[1]", status=2))
        self.assertIn("no JSON", self.cordon("test", "web.x", "{path}", status=2))
        self.assertIn("has no tool read_txt_file", self.cordon("test", "files.read_txt_file", status=1))
        self.assertIn("--deny: expected SERVER", self.cordon("--deny", "a.", status=2) + self.cordon("--deny", ",", status=2))

    def test_a_file_that_cannot_be_used_stops_what_runs_code_and_all_its_mistakes_are_told(self):
        self.write('defualt = "deny"\n[[rule]]\naction = "dney"\n')
        for command, words in (("policy", ()), ("exec", ("-c", "1")), ("serve", ())):
            text = self.cordon(*words, command=command, status=2)
            self.assertIn(f'{self.file}:1:1: there is no key "defualt" (did you mean "default"?)', text)
            self.assertIn(f'{self.file}:3:10: action: expected one of "allow", "ask", "deny"', text)
        self.write(POLICY)
        self.file.chmod(0o666)
        self.assertIn(f"to mend that: chmod go-w {self.file}", self.cordon(status=2))
        self.assertIn("is not there", self.cordon("--policy", str(self.home / "none.toml"), status=2))
        self.assertIn("serve", self.cordon(command="help"))


if __name__ == "__main__":
    unittest.main()
