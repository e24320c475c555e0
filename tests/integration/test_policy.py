"""A policy in force, with real servers: what code may call is decided before its arguments leave."""
import os
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402
from cordon_client import Cordon, npm_server  # noqa: E402

TRY = """
async def attempt(server, tool, **arguments):
    try:
        return str(await runtime.call_tool(server, tool, arguments))
    except runtime.MCPError as failure:
        return f"{type(failure).__name__}: {failure}"
"""


class Policy(Case):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="cordon-policy-")
        cls.folder = pathlib.Path(cls.kept.name).resolve()
        cls.notes = cls.folder / "notes"
        cls.notes.mkdir()
        (cls.notes / "a.md").write_text("the note")
        (cls.folder / "secret.md").write_text("the secret")
        (cls.folder / "settings").mkdir()
        cls.file = cls.folder / "settings" / "policy.toml"
        cls.write(f"""\
[server.files]
trust_hints = true

[[rule]]
name = "notes only"
server = "files"
read_only = true
when = {{ at = "/path", under = "{cls.notes}" }}
action = "allow"

[[rule]]
server = "files"
tool = "write_file"
action = "ask"

[[rule]]
server = "files"
action = "deny"

[[rule]]
server = "every*"
tool = "echo"
action = "allow"
calls_per_run = 3
max_result = 2000

[[rule]]
server = "everything"
tool = "trigger-long-running-operation"
action = "allow"
timeout = 1
""")
        cls.servers = {"files": npm_server("@modelcontextprotocol/server-filesystem", str(cls.folder)),
                       "everything": npm_server("@modelcontextprotocol/server-everything"),
                       "never": {"command": "never-started"}}
        cls.flags = ("--policy", str(cls.file), "--deny", "never", "--deny", "everything.get-env*")
        super().setUpClass()

    @classmethod
    def write(cls, text):
        cls.file.write_text(text)
        cls.file.chmod(0o600)

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.kept.cleanup()

    def test_only_under_one_folder(self):
        inside, outside = str(self.notes / "a.md"), str(self.folder / "secret.md")
        around = f"{self.notes}/../secret.md"
        text = self.check(TRY + f"""
print("in:", await attempt("files", "read_text_file", path={inside!r}))
for path in ({outside!r}, {around!r}, "secret.md", "~/secret.md"):
    print("out:", await attempt("files", "read_text_file", path=path))
print("many:", await attempt("files", "read_multiple_files", paths=[{inside!r}]))
print("move:", await attempt("files", "move_file", source={inside!r}, destination="/tmp/x"))
""")
        self.assertIn("in: {'content': 'the note'}", text)
        self.assertNotIn("the secret", text)
        self.assertEqual(text.count("out: NotAllowed: "), 4, text)
        self.assertEqual(text.count("many: NotAllowed: ") + text.count("move: NotAllowed: "), 2, text)
        self.assertIn('rule "notes only"', text)
        self.assertIn(f"only where /path is under {self.notes}", text)
        self.assertIn('tool = "read_text_file"\n    action = "allow"', text)
        self.assertTrue((self.notes / "a.md").exists())

    def test_what_must_be_asked_is_refused_while_nobody_can_be_asked(self):
        target = self.notes / "new.md"
        text = self.check(TRY + f'print(await attempt("files", "write_file", path={str(target)!r}, content="x"))')
        self.assertIn("NotAllowed: files.write_file must be asked of the user", text)
        self.assertFalse(target.exists())

    def test_discovery_shows_what_may_be_called(self):
        text = self.check("""
listed = {tool["name"]: tool["description"] for tool in await runtime.list_tools("files")}
print("listed", sorted(listed))
print("marked", [name for name, words in listed.items() if "must be allowed by the user first" in words])
found = await runtime.search_tool_docs("write edit move create file", limit=20)
print("found", sorted({doc["tool"] for doc in found if doc["server"] == "files"}))
print("environment", [tool["name"] for tool in await runtime.list_tools("everything") if "env" in tool["name"]])
print("never", await runtime.search_tool_docs("never", limit=50) and [s for s in runtime.discovered_servers()])
try:
    await runtime.query_tool_docs("files", "move_file")
except runtime.MCPError as failure:
    print("docs", type(failure).__name__)
""")
        lines = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
        self.assertIn("read_text_file", lines["listed"])
        self.assertNotIn("move_file", lines["listed"])
        self.assertEqual(lines["marked"], "['write_file']")
        self.assertNotIn("move_file", lines["found"])
        self.assertEqual(lines["environment"], "[]")
        self.assertEqual(lines["docs"], "NotAllowed")

    def test_a_server_that_is_refused_as_a_whole_says_so_and_is_not_started(self):
        text = self.check(TRY + 'print(await attempt("never", "x"))')
        self.assertIn('NotAllowed: server "never" is refused by --deny never.', text)

    def test_limits_of_rules(self):
        text = self.check(TRY + """
for number in range(5):
    print(number, await attempt("everything", "echo", message="hello"))
""")
        self.assertEqual(text.count("Echo: hello"), 3, text)
        self.assertEqual(text.count("calls_per_run = 3"), 2, text)
        self.assertIn("Echo: hello", self.check(TRY + 'print(await attempt("everything", "echo", message="hello"))'))  # another run
        self.assertIn("max_result = 2000", self.check(TRY + 'print(await attempt("everything", "echo", message="x" * 3000))'))
        began = time.monotonic()
        text = self.check(TRY + 'print(await attempt("everything", "trigger-long-running-operation", duration=20, steps=2))')
        self.assertIn("CallTimeout", text)
        self.assertLess(time.monotonic() - began, 15)

    def test_calls_at_once_share_the_limit(self):
        text = self.check(TRY + """
import asyncio
print(*await asyncio.gather(*(attempt("everything", "echo", message="at once") for _ in range(20))), sep="\\n")
""")
        self.assertEqual(text.count("Echo: at once"), 3, text)
        self.assertEqual(text.count("calls_per_run = 3"), 17, text)


class Changing(unittest.TestCase):
    def test_a_changed_file_holds_for_the_next_run_and_a_broken_one_does_not(self):
        with tempfile.TemporaryDirectory(prefix="cordon-policy-") as folder:
            file = pathlib.Path(folder, "policy.toml")

            def write(text):
                time.sleep(1.1)  # it is looked at once a second
                file.write_text(text)
                file.chmod(0o600)
            write('[[rule]]\ntool = "echo"\naction = "deny"\n')
            cordon = Cordon("--policy", str(file), servers={"everything": npm_server("@modelcontextprotocol/server-everything")})
            try:
                def echo():
                    return cordon.run(TRY + 'print(await attempt("everything", "echo", message="hello"))').text
                self.assertIn(f"the rule at {file}:1", echo())
                write("")
                self.assertIn("Echo: hello", echo())
                write('default = "dney"\n')
                self.assertIn("Echo: hello", echo())
                self.assertIn(f"{file}:1:11: default: expected one of", cordon.log())
                self.assertIn("stays in force", cordon.log())
                write('default = "deny"\n')
                self.assertIn("the policy's default", echo())
                self.assertEqual(cordon.end(), 0)
            finally:
                cordon.close()


class Flow(Case):
    """What a private server gave does not leave by a public one unasked."""

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="cordon-policy-")
        cls.folder = pathlib.Path(cls.kept.name).resolve()
        (cls.folder / "notes").mkdir()
        (cls.folder / "notes" / "a.md").write_text("the note")
        file = cls.folder / "policy.toml"
        file.write_text("[server.notes]\nprivate = true\n[server.everything]\npublic = true\n")
        file.chmod(0o600)
        cls.servers = {"notes": npm_server("@modelcontextprotocol/server-filesystem", str(cls.folder / "notes")),
                       "everything": npm_server("@modelcontextprotocol/server-everything")}
        cls.flags = ("--policy", str(file))
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.kept.cleanup()

    READ = TRY + "note = await attempt('notes', 'read_text_file', path=%r)\n"
    SEND = TRY + "print(await attempt('everything', 'echo', message='x'))\n"

    def test_in_one_run(self):
        read = self.READ % str(self.folder / "notes" / "a.md")
        self.assertIn("Echo: x", self.check(self.SEND))
        self.assertIn("Echo: x", self.check(self.SEND + read).split("NotAllowed")[0])
        text = self.check(read + self.SEND)
        self.assertIn("NotAllowed: everything.echo must be asked of the user: this run has read from notes", text)
        self.assertNotIn("Echo", text)

    def test_in_the_runs_of_a_session(self):
        self.check(self.READ % str(self.folder / "notes" / "a.md") + "None", session="flow")
        self.assertIn("has read from notes", self.check(self.SEND, session="flow"))
        self.assertIn("Echo: x", self.check(self.SEND, session="other"))


if __name__ == "__main__":
    unittest.main()
