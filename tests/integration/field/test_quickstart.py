"""The quickstart where npm cannot be reached, and what it says at its end."""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cordon_client import CORDON, LIMIT, ROOT  # noqa: E402

SERVER = [sys.executable, str(ROOT / "scripts" / "folder_server.py")]
ENGINE_ENV = "MCP_BRIDGE_RUNTIME_SOCKET=unix:///x/engine.sock\nMCP_BRIDGE_ALLOW_ROOTFUL=1\nexport MCP_BRIDGE_RUNTIME_SOCKET\n"


class Quickstart(unittest.TestCase):
    def test_it_says_what_cannot_be_had_before_anything_that_takes_long(self):
        with tempfile.TemporaryDirectory(prefix="cordon-quickstart-") as folder:
            began = time.monotonic()
            process = subprocess.Popen([str(ROOT / "scripts" / "quickstart")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True,
                                       env=dict(os.environ, CORDON_NPM_FOLDER=folder + "/npm", npm_config_registry="http://127.0.0.1:9"))
            try:
                said = [process.stderr.readline()]
                took = time.monotonic() - began
                while said[-1] and not said[-1].startswith("Debian packages"):
                    said.append(process.stderr.readline())
            finally:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(LIMIT)
                process.stderr.close()
        self.assertIn("npm's registry cannot be reached from here", said[0])
        self.assertLess(took, 20)
        self.assertIn("scripts/folder_server.py", "".join(said))

    def session(self, folder):
        """The whole of scripts/quickstart.py with the servers that need no npm; what it printed."""
        engine = pathlib.Path(folder, "engine.env")
        engine.write_text(ENGINE_ENV)
        done = subprocess.run([sys.executable, str(ROOT / "scripts" / "quickstart.py"), CORDON, "-", folder, str(engine)], capture_output=True,
                              text=True, timeout=LIMIT * 4)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr)
        return done.stdout

    def test_the_session_with_servers_of_python_and_what_to_do_next(self):
        with tempfile.TemporaryDirectory(prefix="cordon-quickstart-") as folder:
            text = self.session(folder)
            names = json.loads(pathlib.Path(folder, "servers.json").read_text())["mcpServers"]
            notes = sorted(path.name for path in pathlib.Path(folder, "notes").iterdir())
        self.assertEqual(list(names), ["sources", "notes"])
        self.assertIn("cli-README.md", notes)
        self.assertRegex(text, r"the code called notes, sources, \d+ calls")
        self.assertRegex(text, r"\d+ words in %d pages" % len(notes))
        steps = text[text.index("1. The engine"):]
        lines = [line.strip() for line in steps.splitlines()]
        self.assertIn('cd %s && eval "$(scripts/engine start)"' % ROOT, lines)
        register = next(shlex.split(line) for line in lines if line.startswith("claude"))
        self.assertEqual(register[:6], ["claude", "mcp", "add", "--scope", "user", "cordon"])
        self.assertEqual(register[register.index("--") + 1:], [CORDON, "serve"])
        self.assertIn("MCP_BRIDGE_ALLOW_ROOTFUL=1 in it accepts an engine that runs as root", steps)
        self.assertIn("Use run_python:", steps)
        one_line = next(line for line in lines if line.startswith("echo"))  # the program to try works as it stands
        done = subprocess.run(["bash", "-c", one_line], capture_output=True, text=True, timeout=LIMIT * 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^3\.\d+")


class FolderServer(unittest.TestCase):
    def talk(self, folder, *calls, flags=()):
        """The texts that calls gave, and whether they failed."""
        lines = [{"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}, {"method": "notifications/initialized"}]
        lines += [{"id": n, "method": "tools/call", "params": {"name": name, "arguments": arguments}} for n, (name, arguments) in enumerate(calls, 1)]
        done = subprocess.run([*SERVER, *flags, folder], input="".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in lines),
                              capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = [json.loads(line)["result"] for line in done.stdout.splitlines()]
        self.assertEqual(answers[0]["protocolVersion"], "2025-06-18")
        return [(each["content"][0]["text"], each["isError"]) for each in answers[1:]]

    def test_it_reads_real_files(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "sub").mkdir()
            pathlib.Path(folder, "sub", "b.md").write_text("one\nTwo words\n")
            pathlib.Path(folder, "a.txt").write_text("two")
            self.assertEqual(self.talk(folder, ("search_files", {"pattern": "**/*.md"}), ("read_text_file", {"path": "sub/b.md"}),
                                       ("search_text", {"words": "TWO"})),
                             [("sub/b.md", False), ("one\nTwo words\n", False), ("a.txt:1: two\nsub/b.md:2: Two words", False)])

    def test_nothing_outside_the_folder_and_nothing_written_unasked(self):
        with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as folder:
            pathlib.Path(outside, "secret").write_text("secret")
            pathlib.Path(folder, "link").symlink_to(outside)
            pathlib.Path(folder, "file").symlink_to(pathlib.Path(outside, "secret"))
            asked = [("read_text_file", {"path": path}) for path in ("../x", "/etc/passwd", "link/secret", "file", "a\0b", "gone", "")]
            asked += [("search_files", {"pattern": pattern}) for pattern in ("../*", "/etc/*", "")]
            asked += [("write_text_file", {"path": "new", "text": "x"}), ("no_such_tool", {}), ("read_text_file", {"path": 7})]
            for (name, arguments), (text, failed) in zip(asked, self.talk(folder, *asked)):
                self.assertTrue(failed, (name, arguments, text))
            self.assertNotIn("secret", self.talk(folder, ("search_text", {"words": "s"}), ("search_files", {"pattern": "**/*"}))[0][0])
            written = self.talk(folder, ("write_text_file", {"path": "n/new", "text": "x"}), ("write_text_file", {"path": "link/new", "text": "x"}),
                                flags=["--write"])
            self.assertEqual([failed for _, failed in written], [False, True])
            self.assertEqual((pathlib.Path(folder, "n", "new").read_text(), os.listdir(outside)), ("x", ["secret"]))


if __name__ == "__main__":
    unittest.main()
