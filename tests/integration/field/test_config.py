"""What people have in the files that name their MCP servers, and what they are told of it: in the log of `serve`, in its instructions, by
`cordon servers`, `cordon doctor` and `cordon exec --server`. No engine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cordon_client import CORDON, LIMIT, ROOT  # noqa: E402
from cordon_http import HttpCordon  # noqa: E402

GOOD = {"command": sys.executable, "args": [str(ROOT / "tests" / "fakes" / "mini.py"), "ok"]}
HELLO = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
          "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}]


class Home:
    """A home folder with server files, and cordon run in it."""

    def __init__(self, **files):
        self.made = tempfile.TemporaryDirectory(prefix="cordon-config-")
        self.path = pathlib.Path(self.made.name)
        self.environment = {"HOME": str(self.path), "PATH": os.environ["PATH"], "MCP_BRIDGE_RUNTIME_SOCKET": "unix:///no/such/socket"}
        for name, content in files.items():
            self.file("MCPs/%s.json" % name, content)

    def file(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps({"mcpServers": content}, indent=1))
        return str(path)

    def run(self, *words, stdin="", config=None, prefix=()):
        environment = dict(self.environment, **({"MCP_SERVERS_CONFIG": config} if config else {}))
        return subprocess.run([*prefix, CORDON, *words], env=environment, input=stdin, capture_output=True, text=True, timeout=LIMIT * 2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.made.cleanup()


class Config(unittest.TestCase):
    def everywhere(self, home, fault, config=None, prefix=()):
        """The fault is said by all that read the files, and nothing of it stops what can be used."""
        listed = home.run("servers", config=config, prefix=prefix)
        self.assertEqual(listed.returncode, 1, listed)
        self.assertIn("FAULT " + fault, listed.stdout)
        told = json.loads(home.run("servers", "--json", config=config, prefix=prefix).stdout)
        self.assertTrue(any(each.startswith(fault) for each in told["faults"]), told["faults"])
        doctor = home.run("doctor", config=config, prefix=prefix)
        self.assertIn("SERVER   " + fault, doctor.stdout)
        self.assertNotEqual(doctor.returncode, 0)
        served = home.run("serve", stdin="".join(json.dumps(each) + "\n" for each in HELLO), config=config, prefix=prefix)
        self.assertEqual(served.returncode, 0)
        self.assertIn("servers: " + fault, served.stderr)  # at the level of the log that is the default
        instructions = json.loads(served.stdout.splitlines()[0])["result"]["instructions"]
        self.assertIn("Not usable", instructions)
        self.assertIn(fault[:150], instructions)
        self.assertLess(len(instructions), 1800)

    def test_a_named_file_that_is_missing(self):
        with Home() as home:
            self.everywhere(home, "~/gone.json: No such file or directory", config=str(home.path / "gone.json"))
            self.everywhere(home, "~/gone.json: No such file or directory", config="~/gone.json")
            self.everywhere(home, "/: not a file", config="/")

    def test_a_file_that_is_no_json_beside_one_that_is(self):
        with Home(broken='{"mcpServers": {\n  "a": {"command" "c"}\n}}', fine={"good": GOOD}) as home:
            self.everywhere(home, "~/MCPs/broken.json:2:19: bad JSON: ")
            self.assertIn("good (mcp_good): ready", home.run("servers").stdout)

    def test_files_with_nothing_or_something_else_in_them(self):
        for content, fault in (("", "the file is empty"), ("{}", 'there is no "mcpServers"'), ("[]", 'expected {"mcpServers"'),
                               ('{"mcp_servers": {"a": {"command": "c"}}}', '"mcp_servers" is no key of ours: it is "mcpServers"'),
                               ('{"a": {"command": "c"}}', 'the entries must be within "mcpServers"')):
            with self.subTest(content), Home(one=content) as home:
                self.everywhere(home, "~/MCPs/one.json: " + fault)

    def test_entries_that_cannot_be_used(self):
        for entry, fault in (({"command": "npx -y some-server"}, '.command: there is no program of this name with blanks in it; write "command": "npx", "args": ["-y","some-server"]'),
                             ({"command": "npx", "arg": ["-y"]}, ': unknown key "arg": did you mean "args"?'),
                             ({"command": "npx", "enviroment": {}}, ': unknown key "enviroment": did you mean "env"?'),
                             ({"command": "npx", "args": "-y foo"}, ".args: expected an array of words"),
                             ({"command": "npx", "env": {"A": ["b"]}}, ".env.A: expected string"),
                             ({"command": "npx", "env": {"A": "${CORDON_NOT_SET}"}}, ".env.A: the environment variable CORDON_NOT_SET is not set"),
                             ({"command": "npx", "url": "http://x"}, ": has both a command and a url"),
                             ({"description": "later"}, ': missing "command" (or "url")'),
                             ({"url": "localhost:80"}, ".url: expected an http:// or https:// URL"),
                             ({"command": "cordon", "args": ["serve"]}, ": it is this program itself")):
            with self.subTest(entry), Home(one={"good": GOOD, "bad": entry}) as home:
                line = 1 + home.path.joinpath("MCPs/one.json").read_text().split('"bad"')[0].count("\n")
                self.everywhere(home, "~/MCPs/one.json:%d: mcpServers.bad%s" % (line, fault))
                refused = home.run("exec", "--server", "bad", "-", stdin="print(1)")
                self.assertEqual(refused.returncode, 125)
                self.assertIn('"bad" cannot be used: ~/MCPs/one.json:%d: mcpServers.bad%s' % (line, fault), refused.stderr)
                self.assertIn("bad (mcp_bad): unusable", home.run("servers").stdout)

    def test_what_starts_a_server_is_not_there(self):
        for entry, fault in (({"command": "npx"}, '.command: no such command: "npx"; install Node.js, or give its whole path (looked for in PATH=/nowhere)'),
                             ({"command": "uvx", "args": ["x"]}, '.command: no such command: "uvx"; install uv'),
                             ({"command": "./server"}, '.command: no such program: "./server", looked for in '),
                             ({"command": "/no/such/server"}, '.command: no such program: "/no/such/server"'),
                             ({"command": "/etc/passwd"}, '.command: not a program that can be run: "/etc/passwd"'),
                             ({"command": sys.executable, "cwd": "/no/such/folder"}, '.cwd: no such folder: "/no/such/folder"')):
            with self.subTest(entry), Home(one={"bad": {**entry, "env": {"PATH": "/nowhere"}}}) as home:
                self.everywhere(home, "~/MCPs/one.json:3: bad" + fault)

    def test_exec_asks_for_a_server_that_may_be_in_a_file_that_cannot_be_read(self):
        with Home(fine={"good": GOOD}) as home:
            refused = home.run("exec", "--server", "github", "-", stdin="1", config=str(home.path / "gone.json"))
            self.assertEqual(refused.returncode, 125)
            self.assertIn('there is no server "github"', refused.stderr)
            self.assertIn("~/gone.json: No such file or directory", refused.stderr)

    def test_serve_over_http_says_it_as_well(self):
        with HttpCordon("--http-no-token", env={"MCP_SERVERS_CONFIG": "/no/such.json"}) as cordon:
            self.assertIn("servers: /no/such.json: No such file or directory\n", cordon.said)

    def test_exec_that_asks_for_no_server_says_what_file_is_missing_and_goes_on(self):
        with Home() as home:
            ended = home.run("exec", "-", stdin="1", config="/no/such.json")
            self.assertIn("servers: /no/such.json: No such file or directory\n", ended.stderr)
            self.assertIn("no container engine", ended.stderr)  # which this test has not

    def test_what_is_switched_off_or_only_noted_is_no_fault(self):
        with Home(a={"good": GOOD, "off": {"command": "c", "disabled": True}},
                  b={"good": {"command": "other"}, "more": {**GOOD, "excludeTools": ["x"], "autoApprove": []}}) as home:
            listed = home.run("servers")
            self.assertEqual(listed.returncode, 0, listed)
            self.assertIn("off (mcp_off): disabled", listed.stdout)
            self.assertNotIn("FAULT", listed.stdout)
            self.assertIn('note: ~/MCPs/b.json:3: mcpServers."good": left out, the name is taken by ~/MCPs/a.json\n', listed.stdout)
            self.assertIn('mcpServers.more: unknown key "excludeTools": nothing is done with it here\n', listed.stdout)
            self.assertNotIn("autoApprove", listed.stdout)
            served = home.run("serve", stdin="".join(json.dumps(each) + "\n" for each in HELLO))
            self.assertEqual(served.stderr, "")
            self.assertNotIn("Not usable", served.stdout)

    def test_files_of_other_clients(self):
        for content in ({"servers": {"good": {"type": "stdio", **GOOD}}, "inputs": []}, {"context_servers": {"good": GOOD}},
                        {"mcp": {"servers": {"good": GOOD}}}, {"mcp": {"good": {"type": "local", "command": [GOOD["command"], *GOOD["args"]]}}}):
            with self.subTest(content), Home(one=json.dumps(content)) as home:
                listed = home.run("servers")
                self.assertEqual(listed.returncode, 0, listed)
                self.assertIn("good (mcp_good): ready", listed.stdout)

    def test_many_faults_are_cut_where_a_model_reads_them_and_not_where_a_person_does(self):
        with Home(one={**{"server number %d of very many" % n: GOOD for n in range(40)}, **{"bad%d" % n: {"command": "a b"} for n in range(40)}}) as home:
            self.assertEqual(home.run("servers").stdout.count("FAULT"), 40)
            served = home.run("serve", stdin="".join(json.dumps(each) + "\n" for each in HELLO))
            self.assertEqual(len(served.stderr.splitlines()), 21)
            instructions = json.loads(served.stdout.splitlines()[0])["result"]["instructions"]
            self.assertLess(len(instructions), 1800)
            self.assertRegex(instructions, r"Not usable.*\n(- .*\n)*- \d+ more$")

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_a_file_and_a_folder_that_may_not_be_read(self):
        nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        with Home(one={"good": GOOD}) as home:
            home.path.chmod(0o755)
            (home.path / "state").mkdir()
            os.chown(home.path / "state", 65534, 65534)
            home.environment["MCP_BRIDGE_STATE_DIR"] = str(home.path / "state")
            (home.path / "MCPs" / "one.json").chmod(0o000)
            self.everywhere(home, "~/MCPs/one.json: Permission denied", prefix=nobody)
            (home.path / "MCPs").chmod(0o000)
            self.everywhere(home, "~/MCPs: Permission denied", prefix=nobody)


if __name__ == "__main__":
    unittest.main()
