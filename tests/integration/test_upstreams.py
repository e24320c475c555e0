"""The client role against real upstream servers, over three transports, driven by client_probe. No engine."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROBE = os.environ.get("CLIENT_PROBE", str(ROOT / "build" / "dev" / "tests" / "integration" / "client_probe"))
NPM = pathlib.Path(os.environ.get("CORDON_NPM", str(ROOT / "build" / "npm" / "node_modules")))
LIMIT = 240  # seconds; only for what hangs


def command(package, *arguments):
    manifest = json.loads((NPM / package / "package.json").read_text())
    binary = manifest["bin"] if isinstance(manifest["bin"], str) else next(iter(manifest["bin"].values()))
    return [shutil.which("node"), str(NPM / package / binary), *arguments]


def probe(*arguments, **environment):
    """What client_probe says, as a dictionary of its lines; "tools" are the names, "result" the last one, "progress" all of them."""
    ended = subprocess.run([PROBE, *arguments], env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=LIMIT)
    said = {"status": ended.returncode, "all": ended.stdout + ended.stderr, "names": [], "progress": [], "warnings": []}
    for line in ended.stdout.splitlines():
        key, _, value = line.partition(": ")
        if line.startswith("  "):
            said["names"].append(line.strip())
        elif key in ("progress", "warning"):
            said["progress" if key == "progress" else "warnings"].append(value)
        else:
            said[key.split(" (")[0]] = value
    return said


def processes_with(word):
    """Process ids whose command line has the word."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def comes_true(what):
    end = time.monotonic() + LIMIT
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


@contextlib.contextmanager
def everything_over(transport):
    """server-everything on a port of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([*command("@modelcontextprotocol/server-everything", transport)], env=dict(os.environ, PORT=str(port)),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listens():
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0
    try:
        assert comes_true(listens)
        yield "http://127.0.0.1:%d" % port
    finally:
        server.kill()
        server.wait()


class Upstreams(unittest.TestCase):
    def check(self, said, *, tools, version="2025-11-25", era="legacy", transport="stdio"):
        self.assertEqual(said["status"], 0, said["all"])
        self.assertEqual((said["era"], said["version"], said["transport"]), (era, version, transport), said["all"])
        self.assertEqual(len(said["names"]), tools, said["all"])

    def test_everything_over_stdio(self):
        said = probe("--call", "echo", '{"message":"zwölf"}', "--", *command("@modelcontextprotocol/server-everything"))
        self.check(said, tools=13)
        self.assertEqual(said["result"], '{"content":[{"type":"text","text":"Echo: zwölf"}]}')

    def test_everything_over_http_and_sse(self):
        for mode, path, transport in (("streamableHttp", "/mcp", "http"), ("sse", "/sse", "sse")):
            with self.subTest(mode), everything_over(mode) as url:
                said = probe("--call", "trigger-long-running-operation", '{"duration":0.4,"steps":4}', url + path)
                self.check(said, tools=13, transport=transport)
                self.assertIn("completed", said["result"])
                self.assertEqual([each.split()[0] for each in said["progress"]], ["1/4", "2/4", "3/4", "4/4"])

    def test_a_tool_that_is_a_task_says_so(self):
        said = probe("--call", "simulate-research-query", '{"topic":"x"}', "--", *command("@modelcontextprotocol/server-everything"))
        self.assertIn("can only be run as a task", said["all"])

    def test_filesystem_and_memory(self):
        with tempfile.TemporaryDirectory(prefix="cordon-upstreams-") as folder:
            (pathlib.Path(folder) / "a.txt").write_text("ein Satz\n" * 200_000)
            said = probe("--call", "read_text_file", json.dumps({"path": folder + "/a.txt"}), "--",
                         *command("@modelcontextprotocol/server-filesystem", folder))
            self.check(said, tools=14)
            self.assertGreater(int(said["all"].split("result (")[1].split(" ")[0]), 3_600_000)
            said = probe("--call", "create_entities", '{"entities":[{"name":"n","entityType":"t","observations":["o"]}]}', "--",
                         *command("@modelcontextprotocol/server-memory"), MEMORY_FILE_PATH=folder + "/memory.json")
            self.check(said, tools=9)
            self.assertIn('"name":"n"', (pathlib.Path(folder) / "memory.json").read_text())

    def test_sequential_thinking(self):
        self.check(probe("--", *command("@modelcontextprotocol/server-sequential-thinking")), tools=1)

    def test_an_http_server_that_comes_back_has_a_new_session(self):
        with everything_over("streamableHttp") as url:
            port = url.rsplit(":", 1)[1]
            probing = subprocess.Popen([PROBE, "--pause", "--call", "echo", '{"message":"hi"}', "--times", "2", url + "/mcp"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            line = ""
            while not line.startswith("result"):
                line = probing.stdout.readline()
                self.assertTrue(line)
            self.restart(int(port))
            try:
                output, _ = probing.communicate("\n", timeout=LIMIT)
                self.assertIn("Echo: hi", output)
                self.assertEqual(probing.returncode, 0)
            finally:
                self.server.kill()
                self.server.wait()

    def restart(self, port):
        """Ends what listens there and starts it again."""
        for pid in processes_with("streamableHttp"):
            if b"PORT=%d\0" % port in pathlib.Path("/proc/%d/environ" % pid).read_bytes():
                os.kill(pid, signal.SIGKILL)

        def listens():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        self.assertTrue(comes_true(lambda: not listens()))
        self.server = subprocess.Popen([*command("@modelcontextprotocol/server-everything", "streamableHttp")], env=dict(os.environ, PORT=str(port)),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(comes_true(listens))

    def test_every_mode_of_the_server_that_misbehaves_is_met_by_a_unit_test(self):
        """They start tests/fakes/mini.py in each; this one is against a mode that nobody meets."""
        modes = re.findall(r"^([a-z]+)N? +[a-z]", (ROOT / "tests" / "fakes" / "mini.py").read_text().split('"""')[1], re.M)
        met = "".join((ROOT / "tests" / "unit" / name).read_text() for name in ("client.cc", "client_questions.cc"))
        self.assertGreater(len(modes), 25)
        self.assertEqual([mode for mode in modes if not re.search(r'(mini\(|Row\{|Server \w+\()"%s[0-9.]*"' % mode, met)], [])

    def test_the_conformance_suite(self):
        """Its client scenarios that need no OAuth. The person whom elicitation wants is one who accepts what a form proposes (client_probe --accept)."""
        wanted = {"2025-11-25": ("initialize", "tools_call", "sse-retry", "elicitation-sep1034-client-defaults"),
                  "2026-07-28": ("tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers",
                                 "http-invalid-tool-headers", "json-schema-ref-no-deref")}
        node = NPM / "node" / "bin" / "node"  # it needs a newer one than Debian's
        client = "%s %s" % (sys.executable, HERE / "conformance_client.py")
        for version, scenarios in wanted.items():
            for scenario in scenarios:
                with self.subTest(version=version, scenario=scenario), tempfile.TemporaryDirectory() as folder:
                    ended = subprocess.run([node, NPM / "@modelcontextprotocol" / "conformance" / "dist" / "index.js", "client", "--command", client,
                                            "--scenario", scenario, "--spec-version", version, "--timeout", str(LIMIT * 1000)], env=dict(os.environ, CLIENT_PROBE=PROBE), cwd=folder,
                                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
                    # a warning is about time on a busy machine: to be early is a failure, to be late a warning
                    self.assertRegex(ended.stdout + ended.stderr, r"Passed: ([1-9]\d*)/\1, 0 failed")

    def test_nothing_is_left_when_the_client_is_killed(self):
        with tempfile.TemporaryDirectory(prefix="cordon-upstreams-") as folder:
            # as npx does it: a shell between, which would not pass a signal on
            line = " ".join(command("@modelcontextprotocol/server-filesystem", folder)) + " & wait"
            probing = subprocess.Popen([PROBE, "--hold", "--", "sh", "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertTrue(probing.stdout.readline())
            probing.kill()
            probing.communicate()
            self.assertTrue(comes_true(lambda: not processes_with(folder)))


if __name__ == "__main__":
    sys.exit(unittest.main())
