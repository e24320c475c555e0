"""`cordon` as a new user types it, mistakes included: the real program, in a folder and with a home of its own."""
import json
import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cordon_client import CORDON, LIMIT, Cordon, Engine  # noqa: E402
from engine_way import CuttableEngine  # noqa: E402


class Terminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cordon-terminal-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("hello.py", "import sys\nprint('hello', *sys.argv)\n")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def environment(self, **more):
        environment = dict(os.environ, HOME=str(self.folder), MCP_BRIDGE_STATE_DIR=str(self.folder / "state"), TERM="dumb", **more)
        return {name: value for name, value in environment.items() if value is not None}

    def cordon(self, *words, input="", **more):
        return subprocess.run([CORDON, *words], cwd=self.folder, env=self.environment(**more), input=input, capture_output=True, text=True,
                              timeout=LIMIT * 3)

    def says(self, ended, status, *parts):
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        for part in parts:
            self.assertIn(part, ended.stdout + ended.stderr)
        return ended


class Exec(Terminal):
    def test_a_file_gets_its_name_and_its_arguments_and_run_means_the_same(self):
        self.assertEqual(self.cordon("exec", "hello.py", "a", "--b", "c").stdout, "hello hello.py a --b c\n")
        self.assertEqual(self.cordon("exec", "hello.py", "--", "--timeout", "1").stdout, "hello hello.py --timeout 1\n")
        self.assertEqual(self.cordon("run", "hello.py").stdout, "hello hello.py\n")
        self.assertEqual(self.cordon("exec", "-c", "import sys; sys.argv", "x").stdout, "['-c', 'x']\n")
        self.assertEqual(self.cordon("exec", "-", "x", input="import sys; sys.argv").stdout, "['-', 'x']\n")

    def test_a_name_that_is_nearly_there_is_told(self):
        self.says(self.cordon("exec", "helo.py"), 2, "No such file", 'did you mean "hello.py"')
        self.says(self.cordon("exec", "--sever", "x", "hello.py"), 2, '"--server"')
        self.says(self.cordon("exec", "hello.py", CORDON_TIMOUT="3"), 0, "CORDON_TIMEOUT?")
        self.says(self.cordon("hello.py"), 2, "cordon exec hello.py")

    def test_files_that_the_code_left_are_saved_and_nothing_is_written_over(self):
        self.write("leaves.py", "import os\nos.makedirs('/workspace/artifacts/sub', exist_ok=True)\n"
                   "for name in ('a.csv', 'Makefile', 'sub/b$(x).txt'):\n    open('/workspace/artifacts/' + name, 'w').write(name)\n")
        self.write("cordon-a.csv", "mine")
        self.says(self.cordon("exec", "leaves.py"), 0, str(self.folder / "cordon-a-2.csv"), "cordon-Makefile")
        self.assertEqual((self.folder / "cordon-a.csv").read_text(), "mine")
        self.assertEqual((self.folder / "cordon-a-2.csv").read_text(), "a.csv")
        self.assertEqual((self.folder / "cordon-sub-b__x_.txt").read_text(), "sub/b$(x).txt")
        self.assertFalse((self.folder / "Makefile").exists())

    def test_json_has_the_facts_the_streams_the_value_and_the_files(self):
        self.write("all.py", "import os, sys\nos.makedirs('/workspace/artifacts', exist_ok=True)\nopen('/workspace/artifacts/a', 'w').write('x')\n"
                   "print('out')\nprint('err', file=sys.stderr)\n6 * 7\n")
        ended = self.cordon("exec", "--json", "all.py")
        result = json.loads(ended.stdout)
        self.assertEqual((result["status"], result["exitCode"], result["stdout"], result["stderr"], result["value"]),
                         ("success", 0, "out\n", "err\n", "42"))
        self.assertEqual(result["files"], [str(self.folder / "cordon-a")])
        self.assertIn("durationMs", result)
        ended = self.cordon("exec", "--json", "-c", "1/0")
        self.assertEqual((ended.returncode, json.loads(ended.stdout)["error"]), (1, "ZeroDivisionError: division by zero"))
        ended = self.cordon("exec", "--json", "--server", "nobody", "-c", "1")
        self.assertEqual((ended.returncode, json.loads(ended.stdout)["status"]), (125, "refused"))

    def test_a_session_is_one_interpreter_for_one_command_and_says_so(self):
        self.says(self.cordon("exec", "--session", "s", "-c", "x = 20", "-c", "x + 1"), 0, "21\n")
        self.says(self.cordon("exec", "--session", "s", "-c", "1/0", "-c", "print('never')"), 1, "ZeroDivisionError")
        self.says(self.cordon("exec", "--session", "s", "hello.py"), 0, "ended with this command", "--session s FILE FILE")

    def test_settings_as_people_write_them(self):
        self.says(self.cordon("exec", "--timeout", "500", "-c", "1"), 0)
        self.says(self.cordon("exec", "--allow-rootful", "0", "hello.py"), 125 if os.environ.get("MCP_BRIDGE_ALLOW_ROOTFUL") == "1" else 0)
        self.says(self.cordon("exec", "-c", "while True: pass", CORDON_TIMEOUT="1", MCP_BRIDGE_TIMEOUT="60"), 124, "timed out after 1 s")
        other = "docker" if Engine().podman else "podman"
        self.says(self.cordon("exec", "--runtime", other, "-c", "1"), 125, "--runtime %s asks for %s" % (other, other))

    def test_a_failure_names_what_helps(self):
        self.says(self.cordon("exec", "--timeout", "1", "-c", "while True: pass"), 124, "timed out after 1 s", "--timeout 2")
        self.says(self.cordon("exec", "--memory", "64m", "-c", "x = bytearray(300 << 20)"), 137, "--memory 128m")
        self.says(self.cordon("exec", "-c", "import no_such_package"), 1, "the image has no no_such_package", "--image")
        self.says(self.cordon("exec", "-c", "import urllib.request as u; u.urlopen('http://example.com')"), 1, "no network", "MCP servers")
        self.says(self.cordon("exec", "--image", "localhost/none:1", "-c", "1"), 125, "cordon image build python", "cordon image list")


class Others(Terminal):
    def test_image_use_says_whether_it_is_in_effect(self):
        image = os.environ["MCP_BRIDGE_IMAGE"]
        self.says(self.cordon("image", "use", image, MCP_BRIDGE_IMAGE=None), 0, "from now on")
        for more in ({"MCP_BRIDGE_IMAGE": "a:1"}, {"MCP_BRIDGE_IMAGE": None, "CORDON_IMAGE": "a:1"}):
            ended = self.says(self.cordon("image", "use", image, **more), 0, "NOT in effect", "unset ")
            self.assertNotIn("from now on", ended.stdout)

    def test_image_ls_json_and_rm(self):
        engine, image = Engine(), os.environ["MCP_BRIDGE_IMAGE"]
        status, _, body = engine.request("POST", "/images/%s/tag?repo=localhost/cordon-removable&tag=1" % image)
        self.assertEqual(status, 201, body)
        listed = json.loads(self.cordon("image", "ls", "--json").stdout)
        self.assertIn("localhost/cordon-removable:1", [each["name"] for each in listed["images"]])
        self.says(self.cordon("image", "rm", "localhost/cordon-removable:1"), 0, "removed localhost/cordon-removable:1")
        self.assertNotIn("cordon-removable", self.cordon("image", "ls").stdout)
        self.assertIn(image, self.cordon("image", "ls").stdout)
        self.says(self.cordon("image", "rm", "localhost/cordon-removable:1"), 1, "cordon image list")

    def test_http_in_the_clear_beyond_this_machine_is_refused(self):
        self.says(self.cordon("serve", "--http", "0.0.0.0:0"), 2, "--tls-cert", "--allow-plain-http")
        process = subprocess.Popen([CORDON, "serve", "--http", "0.0.0.0:0", "--allow-plain-http"], env=self.environment(),
                                   stderr=subprocess.PIPE, text=True)
        try:
            lines = [process.stderr.readline(), process.stderr.readline()]
        finally:
            process.terminate()
            process.wait(LIMIT)
            process.stderr.close()
        self.assertIn("in the clear", lines[0])
        self.assertIn("serving http://0.0.0.0", lines[1])

    def test_serve_typed_at_a_terminal_says_what_it_is(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(CORDON, [CORDON, "serve"], self.environment())
        said, end = b"", time.monotonic() + LIMIT
        while b"cordon doctor" not in said and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 4096)
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        os.close(terminal)
        for part in (b"claude mcp add", b"cordon exec -c"):
            self.assertIn(part, said)

    def test_help_for_each_command_has_its_flags(self):
        for words, part in ((("image", "build", "--help"), "--suite"), (("serve", "--help"), "--tls-cert"), (("help", "exec"), "--json")):
            self.says(self.cordon(*words), 0, part)
        self.assertNotIn("--suite", self.cordon("exec", "--help").stdout)

    def test_doctor_without_an_engine_carries_the_command(self):
        report = json.loads(self.cordon("doctor", "--json", MCP_BRIDGE_RUNTIME_SOCKET="unix://%s/no.sock" % self.folder).stdout)
        self.assertIn("no engine could be had → ", report["problems"][0])
        self.assertIn("scripts/engine start", report["problems"][0])

    def test_a_large_file_of_a_client_can_be_the_servers_file(self):
        file = self.folder / ".claude.json"
        file.write_text(json.dumps({"numStartups": 3, "history": "x" * (2 << 20), "mcpServers": {"a": {"command": "true", "type": "stdio"}},
                                    "projects": {"/x": {"mcpServers": {"b": {"command": "true"}}}}}))
        listed = json.loads(self.cordon("servers", "--json", CORDON_SERVERS_CONFIG=str(file)).stdout)
        self.assertEqual([each["name"] for each in listed["servers"]], ["a"])

    def test_an_engine_that_stopped_in_mid_session_is_told_with_what_starts_it(self):
        way = CuttableEngine(Engine())
        cordon = Cordon("--runtime-socket", way.url, "--pool", "0")
        try:
            self.assertEqual(cordon.run("x = 1", session="s").status, "success")
            way.cut()
            way.close()
            for _ in range(2):
                text = cordon.run("x", session="s").text
                self.assertIn("connect to " + way.url, text)
                self.assertRegex(text, "(→|->) .*start the engine")
        finally:
            cordon.end()
            cordon.close()

    def test_the_tool_s_own_sys_argv_is_as_it_was(self):
        cordon = Cordon()
        try:
            self.assertEqual(cordon.run("import sys; sys.argv").text, "['<run_python>']")
            self.assertIn("timeout=120", cordon.run("while True: pass", timeout=1).text)
        finally:
            self.assertEqual(cordon.end(), 0)
            cordon.close()


if __name__ == "__main__":
    unittest.main()
