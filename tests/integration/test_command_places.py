"""Cordon's own files are out of reach of what it offers: a server that can change what a later start runs is told of, and what is new is not
started before the user has accepted it; server lists that others can write are not read."""
import hashlib
import json
import os
import pathlib
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, npm_server, record_elsewhere  # noqa: E402

HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}) + "\n"


def mini(*words, **more):
    return {"command": sys.executable, "args": [str(ROOT / "tests" / "fakes" / "mini.py"), "ok", *words], **more}


class Home:
    """A home folder with server lists; Cordons run in it, one after the other."""

    def __init__(self, state=None):
        self.made = tempfile.TemporaryDirectory(prefix="cordon-places-")
        self.path = pathlib.Path(self.made.name)
        (self.path / "notes").mkdir()
        self.state = pathlib.Path(state or self.path / ".local/state/cordon")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MCP_SERVERS", "CORDON_S"))}
        self.environment.pop("MCP_BRIDGE_STATE_DIR", None)
        self.environment["HOME"] = str(self.path)
        if state:
            self.environment["MCP_BRIDGE_STATE_DIR"] = str(state)

    def list(self, name, **servers):
        file = self.path / "MCPs" / (name + ".json")
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"mcpServers": servers}))
        return file

    def run(self, *words, stdin="", **more):
        return subprocess.run([CORDON, *words], env=dict(self.environment, **more), input=stdin, capture_output=True, text=True,
                              timeout=LIMIT * 3, cwd=self.path / "notes")

    def exec(self, code):
        ended = self.run("exec", "-", stdin=code)
        assert ended.returncode == 0, ended
        return ended

    def listed(self, **more):
        told = json.loads(self.run("servers", "--json", **more).stdout)
        return {each["name"]: each for each in told["servers"]}, told

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.made.cleanup()
        record_elsewhere(self.state).unlink(missing_ok=True)


WRITE = """
import json
await mcp_filesystem.write_file(path=%(path)r, content=%(content)r)
"""

LOOK = """
from mcp import runtime
print({each["name"]: (each["usable"], each.get("state"), each.get("reason")) for each in runtime.discovered_servers(detailed=True)})
try:
    print(await runtime.call_tool("evil", "a", {}))
except Exception as failure:
    print(type(failure).__name__, failure)
"""


class Written(unittest.TestCase):
    """A real filesystem server, and code that writes by it."""

    def evil(self, home, **more):
        """An entry that leaves a mark where it is started, and then works."""
        args = mini()["args"]
        return {"command": "sh", "args": ["-c", 'touch "$MARK"; exec "$0" "$@"', sys.executable, *args], "env": {"MARK": str(self.mark(home))}, **more}

    def mark(self, home):
        return home.path / "notes" / "it-ran"

    def write(self, home, path, content):
        return home.exec(WRITE % {"path": str(path), "content": content if isinstance(content, str) else json.dumps(content)})

    def not_run(self, home, command="cordon servers accept evil"):
        told = home.exec(LOOK)
        self.assertFalse(self.mark(home).exists(), told)
        self.assertIn("'evil': (False, 'not accepted', ", told.stdout)
        self.assertEqual(told.stdout.count(command), 2, told.stdout)  # discovery, and the call
        called = home.run("exec", "-c", "await mcp_evil.a()")
        self.assertEqual(called.returncode, 1, called)
        self.assertIn(command, called.stderr)
        return told

    def runs(self, home):
        told = home.exec(LOOK)
        self.assertTrue(self.mark(home).exists(), told)
        self.assertIn("'evil': (True, ", told.stdout)

    def test_what_code_wrote_is_not_run_by_the_next_start_until_it_is_accepted(self):
        with Home() as home:
            home.list("mine", filesystem=npm_server("@modelcontextprotocol/server-filesystem", str(home.path)))
            first = self.write(home, home.path / "MCPs" / "evil.json", {"mcpServers": {"evil": self.evil(home)}})
            self.assertIn('server "filesystem" (~/MCPs/mine.json:1) is given argument "%s", which is or holds ' % home.path, first.stderr)
            self.assertIn("taken as accepted", first.stderr)
            self.assertEqual(stat.S_IMODE(record_elsewhere(home.state).stat().st_mode), 0o600)
            self.assertFalse((home.state / "accepted_servers.json").exists())  # a server can write there
            second = self.not_run(home)
            self.assertNotIn("taken as accepted", second.stderr)
            self.not_run(home)  # no start makes it less new

            shown = home.run("servers", "accept")
            self.assertIn("evil: new, from ~/MCPs/evil.json:1\n  runs: sh -c 'touch", shown.stdout)
            self.assertIn("not accepted yet", shown.stdout)
            self.not_run(home)
            accepted = home.run("servers", "accept", "evil")
            self.assertEqual(accepted.returncode, 0, accepted)
            self.assertIn("evil: new, from ~/MCPs/evil.json:1\n  runs: sh -c 'touch \"$MARK\"; exec \"$0\" \"$@\"' %s" % sys.executable, accepted.stdout)
            self.assertIn("  env: MARK\n", accepted.stdout)
            self.assertIn(str(record_elsewhere(home.state)), accepted.stdout)
            self.runs(home)

            self.mark(home).unlink()  # and what changes it afterwards waits again
            self.write(home, home.path / "MCPs" / "evil.json", {"mcpServers": {"evil": self.evil(home, timeout=7)}})
            self.mark(home).unlink(missing_ok=True)
            self.assertIn("it has changed since it was accepted", self.not_run(home).stdout)

    def test_a_record_that_code_writes_and_lists_that_it_narrows_do_not_help_it(self):
        with Home() as home:
            entry = self.evil(home)
            mine = home.list("mine", filesystem=npm_server("@modelcontextprotocol/server-filesystem", str(home.path)))
            before = mine.read_text()
            self.write(home, home.path / "MCPs" / "evil.json", {"mcpServers": {"evil": entry}})
            written = json.dumps(entry, separators=(",", ":"))
            forged = {"watched": False, "servers": [{"source": "~/MCPs/evil.json", "name": "evil",
                                                     "fingerprint": hashlib.sha256(("evil\n" + written).encode()).hexdigest()}]}
            home.state.mkdir(parents=True, exist_ok=True)
            self.write(home, home.state / "accepted_servers.json", forged)
            self.not_run(home)
            # the server that reaches it all takes itself out: nothing does any more, as far as the lists tell
            self.write(home, mine, {"mcpServers": {"filesystem": npm_server("@modelcontextprotocol/server-filesystem", str(home.path / "notes"))}})
            narrowed, told = home.listed()
            self.assertEqual(({name: each["state"] for name, each in narrowed.items()}, told["reach"]),
                             ({"evil": "not accepted", "filesystem": "not accepted"}, []))
            self.not_run(home)
            mine.write_text(before)
            self.not_run(home)

    def test_where_only_the_lists_are_in_reach_the_record_is_in_the_state_folder(self):
        with tempfile.TemporaryDirectory(prefix="cordon-places-state-") as elsewhere, Home(state=elsewhere + "/state") as home:
            home.list("mine", filesystem=npm_server("@modelcontextprotocol/server-filesystem", str(home.path)))
            self.write(home, home.path / "MCPs" / "evil.json", {"mcpServers": {"evil": self.evil(home)}})
            record = home.state / "accepted_servers.json"
            self.assertEqual(stat.S_IMODE(record.stat().st_mode), 0o600)
            self.assertFalse(record_elsewhere(home.state).exists())
            self.not_run(home, "cordon servers accept --state-dir %s evil" % home.state)
            self.assertEqual(home.run("servers", "accept", "--all").returncode, 0)
            self.runs(home)


class Said(unittest.TestCase):
    """Who can change what, and who waits: in `servers`, `doctor`, `exec` and `serve`. No engine."""

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.__exit__)
        self.home.environment["MCP_BRIDGE_RUNTIME_SOCKET"] = "unix:///no/such/socket"

    def reach(self, **entry):
        """What is said of a server with this entry."""
        self.home.list("mine", it={**mini(), **entry})
        return [each for each in self.home.listed()[1]["reach"] if each.startswith('server "it" ')]

    def test_by_every_command(self):
        self.home.list("mine", it=mini("--root=" + str(self.home.path)))
        line = 'server "it" (~/MCPs/mine.json:1) is given argument "%s", which is or holds the server lists in ~/MCPs, ' % self.home.path
        self.assertIn("\nREACH " + line, self.home.run("servers").stdout)
        self.assertIn("\nREACH    " + line, self.home.run("doctor").stdout)
        self.assertTrue(json.loads(self.home.run("doctor", "--json").stdout)["serverReach"][0].startswith(line))
        self.assertIn(line, self.home.run("exec", "-c", "1").stderr)
        for _ in range(2):
            self.assertIn(line, self.home.run("serve", stdin=HELLO).stderr)
        listed, told = self.home.listed()
        self.assertEqual((listed["it"]["state"], told["faults"]), ("ready", []))  # it goes on as before

    def test_nothing_where_nothing_is_in_reach(self):
        home = self.home.path
        (home / "project").mkdir()
        for words in ([], [str(home / "notes")], [str(home / "project"), "--verbose", "-y", "@scope/package", "https://example.com/x"]):
            self.assertEqual(self.reach(args=[*mini()["args"], *words]), [], words)
        self.assertEqual(self.reach(cwd=str(home / "project"), env={"HOME": str(home), "PATH": "/usr/bin:/bin"}), [])
        self.assertEqual(self.home.run("serve", stdin=HELLO).stderr, "")
        # and then what is new is started as ever
        self.home.list("more", other=mini())
        listed, told = self.home.listed()
        self.assertEqual(({name: each["state"] for name, each in listed.items()}, told["faults"]), ({"it": "ready", "other": "ready"}, []))

    def test_in_whatever_form_it_is_given(self):
        home = self.home.path
        (home / "link").symlink_to(home)
        (home / "project").mkdir()
        words = [str(home), str(home) + "/", str(home / "notes" / ".."), str(home / "link"), str(home / "MCPs"), str(home / "MCPs" / "new.json"),
                 "..", "../MCPs/", "~", "--dir=" + str(home), "-d" + str(home), "file://" + str(home), "file://localhost" + str(home).replace("-", "%2D"),
                 "src=%s,dst=/data" % home, str(home) + ":/data:rw", str(home / ".local/state"), str(home / ".local/state/cordon/http-token"),
                 str(home / ".config"), os.path.dirname(CORDON), CORDON, "/"]
        for word in words:
            with self.subTest(word):
                self.assertEqual(len(self.reach(args=[*mini()["args"], word])), 1)
        self.assertIn(" cwd ", self.reach(cwd=str(home / "project" / ".."))[0])
        self.assertIn(" env VAULT ", self.reach(env={"VAULT": str(home)})[0])

    def test_lists_that_are_links_and_a_list_elsewhere(self):
        home = self.home.path
        (home / "dotfiles").mkdir()
        self.home.list("mine", it=mini(str(home / "dotfiles"))).rename(home / "dotfiles" / "all.json")
        (home / "MCPs" / "mine.json").symlink_to("../dotfiles/all.json")
        self.assertIn("server lists in ~/MCPs", self.home.listed()[1]["reach"][0])
        (home / "MCPs" / "mine.json").unlink()
        self.assertIn("the server list " + str(home / "dotfiles" / "all.json"),
                      self.home.listed(MCP_SERVERS_CONFIG=str(home / "dotfiles" / "all.json"))[1]["reach"][0])

    def test_what_waits_is_told_everywhere_and_accepted_by_name(self):
        self.home.list("mine", it=mini(str(self.home.path)))
        self.home.listed()
        self.home.list("more", newcomer=mini(env={"TOKEN": "hidden"}, cwd="/tmp"), **{"old one": mini(), "far": {"url": "https://user.example/x", "headers": {"Key": "hidden"}}})
        listed, told = self.home.listed()
        self.assertEqual({name: each["state"] for name, each in listed.items()},
                         {"it": "ready", "newcomer": "not accepted", "old one": "not accepted", "far": "not accepted"})
        self.assertIn("~/MCPs/more.json:1: old one: it is new and not yet accepted", told["faults"][1])
        self.assertIn("cordon servers accept 'old one'", told["faults"][1])
        self.assertIn("  why: ~/MCPs/more.json:1: newcomer: it is new", self.home.run("servers").stdout)
        self.assertIn("SERVER   ~/MCPs/more.json:1: newcomer: it is new", self.home.run("doctor").stdout)
        served = self.home.run("serve", stdin=HELLO)
        self.assertIn("cordon servers accept newcomer", served.stderr)
        self.assertIn("newcomer: it is new", json.loads(served.stdout.splitlines()[0])["result"]["instructions"])
        named = self.home.run("exec", "--server", "newcomer", "-c", "1")
        self.assertEqual(named.returncode, 125)
        self.assertIn("cordon servers accept newcomer", named.stderr)

        wrong = self.home.run("servers", "accept", "newcomr")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn('there is no server "newcomr" (did you mean "newcomer"?)', wrong.stderr)
        one = json.loads(self.home.run("servers", "accept", "newcomer", "--json").stdout)
        self.assertEqual((one["accepted"], one["servers"]), (True, [
            {"name": "newcomer", "status": "new", "source": "~/MCPs/more.json", "line": 1, "command": [mini()["command"], *mini()["args"]],
             "env": ["TOKEN"], "cwd": "/tmp", "url": "", "headers": [], "reason": ""}]))
        self.assertEqual(self.home.listed()[0]["newcomer"]["state"], "ready")
        rest = self.home.run("servers", "accept", "--all")
        self.assertIn("far: new, from ~/MCPs/more.json:1\n  url: https://user.example/x\n  headers: Key\n", rest.stdout)
        self.assertNotIn("hidden", rest.stdout)
        self.assertEqual(self.home.listed()[0]["old one"]["state"], "ready")
        self.assertIn("no server waits", self.home.run("servers", "accept").stdout)
        for words in (("accept", "--all", "it"), ("acept", "it"), ("--all",)):
            self.assertEqual(self.home.run("servers", *words).returncode, 2, words)

    def test_a_server_that_begins_to_reach_them_waits_itself(self):
        self.home.list("mine", it=mini())
        self.home.listed()
        self.home.list("more", files=mini(str(self.home.path)))
        self.assertEqual({name: each["state"] for name, each in self.home.listed()[0].items()}, {"it": "ready", "files": "not accepted"})
        self.home.run("servers", "accept", "files")
        self.assertEqual({name: each["state"] for name, each in self.home.listed()[0].items()}, {"it": "ready", "files": "ready"})
        # a list in another layout is the same list
        text = json.dumps(json.loads((self.home.path / "MCPs" / "more.json").read_text()), indent=4)
        (self.home.path / "MCPs" / "more.json").write_text("// mine\n" + text)
        self.assertEqual(self.home.listed()[0]["files"]["state"], "ready")
        # no server reaches them any more, and the user has said that it is so: what is new is started again
        (self.home.path / "MCPs" / "more.json").unlink()
        self.home.list("new", other=mini())
        self.assertEqual(self.home.listed()[0]["other"]["state"], "not accepted")
        self.home.run("servers", "accept", "other")
        self.home.list("new", other=mini(), another=mini())
        self.assertEqual(self.home.listed()[0]["another"]["state"], "ready")

    def test_a_record_that_cannot_be_believed_accepts_nothing(self):
        with tempfile.TemporaryDirectory(prefix="cordon-places-state-") as elsewhere, Home(state=elsewhere + "/state") as home:
            home.list("mine", it=mini(str(home.path)))
            home.listed()
            record = home.state / "accepted_servers.json"
            for spoil, words in ((lambda: record.chmod(0o666), "can be written to by other users"), (lambda: record.write_text("{"), "bad JSON")):
                spoil()
                listed, told = home.listed()
                self.assertEqual(listed["it"]["state"], "not accepted")
                self.assertTrue(any("does not count" in each and words in each for each in told["reach"]), told["reach"])
                self.assertEqual(home.run("servers", "accept", "--all").returncode, 0)
                self.assertEqual(home.listed()[0]["it"]["state"], "ready")

    def test_where_no_place_is_out_of_reach_that_is_said(self):
        self.home.list("mine", it=mini("/"))
        self.assertTrue(any("cannot be relied on" in each for each in self.home.listed()[1]["reach"]))


class Lists(unittest.TestCase):
    """A list that others can write is not read, and the command that is said mends it."""

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.__exit__)
        self.file = self.home.list("mine", it=mini())

    def refused(self, *words, **more):
        """It is refused with these words; afterwards the command is run, and it is read."""
        listed, told = self.home.listed(**more)
        self.assertEqual(listed, {})
        self.assertEqual(len(told["faults"]), 1, told)
        for word in ("not read, since others could have written it", *words):
            self.assertIn(word, told["faults"][0])
        command = told["faults"][0].split("; to mend that: ")[1]
        subprocess.run(shlex.split(command), check=True)
        self.assertEqual(self.home.listed(**more)[0]["it"]["state"], "ready")

    def test_the_file_s_mode(self):
        for mode in (0o666, 0o646, 0o602):
            self.file.chmod(mode)
            self.refused("%s can be written to by other users" % self.file, "chmod go-w %s" % self.file)

    def test_the_folder_s_mode_and_those_above(self):
        for folder in (self.file.parent, self.home.path):
            folder.chmod(0o777)
            self.refused("%s can be written to by other users" % folder, "chmod go-w %s" % folder)
        self.home.path.chmod(0o1777)  # as /tmp: others can put things there, and change nothing
        self.assertEqual(self.home.listed()[0]["it"]["state"], "ready")

    def test_the_folder_that_a_link_leads_to(self):
        (self.home.path / "open").mkdir()
        self.file.rename(self.home.path / "open" / "all.json")
        self.file.symlink_to(self.home.path / "open" / "all.json")
        (self.home.path / "open").chmod(0o777)
        self.refused("chmod go-w %s" % (self.home.path / "open"))

    def test_a_file_that_is_named(self):
        named = self.home.path / "of a client.json"
        self.file.rename(named)
        named.chmod(0o606)
        self.refused("chmod go-w '%s'" % named, MCP_SERVERS_CONFIG=str(named))

    @unittest.skipIf(os.geteuid() != 0, "needs root: for files of other users")
    def test_the_owner_and_a_group(self):
        os.chown(self.file, 12345, -1)
        self.refused("belongs to another user (uid 12345)", "chown -h root %s" % self.file)
        self.file.chmod(0o664)  # root's own group has no other member
        self.assertEqual(self.home.listed()[0]["it"]["state"], "ready")
        os.chown(self.file, 0, 12345)
        self.refused("can be written to by other users", "chmod go-w")
        os.chown(self.file.parent, 12345, -1)
        self.refused("chown -h root %s" % self.file.parent)


if __name__ == "__main__":
    unittest.main()
