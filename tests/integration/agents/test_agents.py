"""Real agents, from npm, with a scripted model on loopback: is Cordon healthy to them, and what does the model get to see?

Each makes the same six calls; what it makes of a result (a frame, a cut of its own, a file) is taken off, and the rest must be what Cordon said.
CORDON_AGENTS is the folder of the packages in package.json; the engine's settings come from the environment (with_engine).
"""
import base64
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
from cordon_client import CORDON, Engine, npm_server, until  # noqa: E402
from model import Model, Result  # noqa: E402

AGENTS = pathlib.Path(os.environ["CORDON_AGENTS"])
NODE = AGENTS / "node" / "bin" / "node"
LIMIT = 600  # seconds; for what hangs

PNG = """
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
png = (b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0))
       + chunk(b"IDAT", zlib.compress((b"\\0" + b"\\xff\\0\\0" * 16) * 16)) + chunk(b"IEND", b""))
"""
TWO_UPSTREAMS = """
files = await mcp_filesystem.list_directory(path=%r)
await mcp_memory.create_entities(entities=[{"name": "found", "entityType": "list", "observations": [files["content"]]}])
print("remembered:", (await mcp_memory.read_graph())["entities"][0]["observations"][0])
"""


def printed_lines():
    """What 200 KB of output become: the first 20,000 and the last 10,000 characters."""
    text = "".join("%d%s\n" % (number, "x" * 95) for number in range(2000))
    return text[:20000] + "\n… [%d bytes left out] …\n" % (len(text) - 30000) + text[-10000:]


class Agent:
    """How one of them is set up and spoken to."""

    name = ""       # what its model calls the tool
    offered = ""    # what is in its list of tools
    healthy = ""    # a pattern of what its health check says
    cut = None      # a pattern of the mark that it leaves where it cuts a long result
    last_line = ""  # what a text that is a bare JSON value ends with

    def __init__(self, home, work, url, entry):
        self.home, self.work, self.url, self.entry = home, work, url, entry
        self.env = {"HOME": str(home), "PATH": "%s:/usr/bin:/bin" % NODE.parent, "TERM": "dumb"}
        self.set_up()

    def run(self, *command, stdin=""):
        done = subprocess.run([str(word) for word in command], env=self.env, cwd=self.work, input=stdin, capture_output=True, text=True, timeout=LIMIT)
        return done.returncode, done.stdout + done.stderr

    def core(self, result):
        """What Cordon said, out of what the model was given."""
        return result


class Claude(Agent):
    binary = AGENTS / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
    name = offered = "mcp__cordon__run_python"
    healthy = r"cordon: .* Connected"

    def set_up(self):
        self.env.update(ANTHROPIC_BASE_URL=self.url, ANTHROPIC_API_KEY="placeholder", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")

    def health(self):
        self.run(self.binary, "mcp", "add-json", "cordon", json.dumps(dict(self.entry, type="stdio")))
        return self.run(self.binary, "mcp", "list")

    def go(self):
        config = json.dumps({"mcpServers": {"cordon": self.entry}})
        return self.run(self.binary, "-p", "go", "--allowedTools", "mcp__cordon", "--mcp-config", config, "--strict-mcp-config", "--output-format", "json")

    def core(self, result):
        return Result(re.sub(r"\[Image: source: \S+\]$", "", result.text), result.images)

class Codex(Agent):
    binary = AGENTS / "@openai" / "codex-linux-x64" / "vendor" / "x86_64-unknown-linux-musl" / "bin" / "codex"
    name = ("mcp__cordon", "run_python")
    offered = "mcp__cordon"
    healthy = r'"run_python"'
    cut = r"…\d+ \w+ truncated…"

    def set_up(self):
        (self.home / ".codex").mkdir()
        variables = "\n".join("%s = %s" % (key, json.dumps(value)) for key, value in self.entry["env"].items())
        (self.home / ".codex" / "config.toml").write_text(
            'model = "m"\nmodel_provider = "scripted"\napproval_policy = "never"\n'
            '[model_providers.scripted]\nname = "scripted"\nbase_url = "%s/v1"\nwire_api = "responses"\n'
            '[mcp_servers.cordon]\ncommand = %s\nargs = %s\n[mcp_servers.cordon.env]\n%s\n'
            % (self.url, json.dumps(self.entry["command"]), json.dumps(self.entry["args"]), variables))

    def health(self):
        """Its app server is what connects without a model."""
        server = subprocess.Popen([str(self.binary), "app-server"], env=self.env, cwd=self.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            said = ""
            for number, method, params in ((1, "initialize", {"clientInfo": {"name": "tests", "version": "1"}}), (2, "mcpServerStatus/list", {})):
                server.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
                server.stdin.flush()
                while json.loads(line := server.stdout.readline()).get("id") != number:
                    said += line
                said += line
                if number == 1:
                    server.stdin.write(json.dumps({"method": "initialized"}) + "\n")
            return 0, said
        finally:
            server.terminate()
            server.communicate(timeout=LIMIT)

    def go(self):
        return self.run(self.binary, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", "go")

    def core(self, result):
        text = re.sub(r"^Wall time: [0-9.]+ seconds\nOutput:", "", result.text)
        return Result(text, result.images)


class Opencode(Agent):
    binary = AGENTS / "opencode-linux-x64" / "bin" / "opencode"
    name = offered = "cordon_run_python"
    healthy = r"cordon.*connected"

    def set_up(self):
        self.env.update(OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1")
        model = {"name": "m", "attachment": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
        (self.work / "opencode.json").write_text(json.dumps({
            "mcp": {"cordon": {"type": "local", "command": [self.entry["command"], *self.entry["args"]], "environment": self.entry["env"], "enabled": True}},
            "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "models": {"m": model},
                                      "options": {"baseURL": self.url + "/v1", "apiKey": "placeholder"}}},
            "autoupdate": False, "share": "disabled"}))

    def health(self):
        return self.run(self.binary, "mcp", "list")

    def go(self):
        return self.run(self.binary, "run", "-m", "scripted/m", "go")

class Gemini(Agent):
    binary = AGENTS / "@google" / "gemini-cli" / "bundle" / "gemini.js"
    name = offered = "mcp_cordon_run_python"
    healthy = r"✓ cordon: .* - Connected"
    last_line = "\n[no more output]"  # it would fail the call without

    def set_up(self):
        self.env.update(GOOGLE_GEMINI_BASE_URL=self.url, GEMINI_API_KEY="placeholder")
        (self.home / ".gemini").mkdir()
        (self.home / ".gemini" / "settings.json").write_text(json.dumps({
            "security": {"folderTrust": {"enabled": False}, "auth": {"selectedType": "gemini-api-key"}}, "mcpServers": {"cordon": self.entry},
            "telemetry": {"enabled": False}, "privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}}))

    def health(self):
        return self.run(NODE, self.binary, "mcp", "list")

    def go(self):
        return self.run(NODE, self.binary, "-m", "gemini-2.5-pro", "-p", "go", "--yolo")  # a named model: none is asked which to take

    def core(self, result):
        text = result.text
        if result.is_error:
            answer = json.loads(text[text.index("with response: ") + len("with response: "):])
            content = answer[0]["functionResponse"]["response"]["content"]
            return Result("".join(part["text"] for part in content if part["type"] == "text"))
        found = re.match(r"<untrusted_context>\n(.*)\n</untrusted_context>", text, re.S)
        return Result(found.group(1) if found else text, result.images)


class Agents(unittest.TestCase):
    def entry(self, folder):
        """Cordon as a client's configuration has it, with two upstream servers in its home."""
        home = folder / "cordon"
        (home / "MCPs").mkdir(parents=True)
        (folder / "files").mkdir()
        (folder / "files" / "a.txt").write_text("a")
        (home / "MCPs" / "servers.json").write_text(json.dumps({"mcpServers": {
            "filesystem": npm_server("@modelcontextprotocol/server-filesystem", str(folder / "files")),
            "memory": npm_server("@modelcontextprotocol/server-memory", env={"MEMORY_FILE_PATH": str(folder / "memory.json")})}}))
        variables = {name: value for name, value in os.environ.items() if name.startswith("MCP_BRIDGE_")}
        variables.update(HOME=str(home), MCP_BRIDGE_STATE_DIR=str(home / "state"))
        return {"command": CORDON, "args": ["serve"], "env": variables}

    def check(self, kind):
        if not kind.binary.exists():
            self.skipTest("there is no package of it for this machine: %s" % kind.binary)
        with tempfile.TemporaryDirectory(prefix="cordon-agents-", ignore_cleanup_errors=True) as name:
            folder = pathlib.Path(name)
            for each in ("home", "work"):
                (folder / each).mkdir()
            calls = [{"code": TWO_UPSTREAMS % str(folder / "files")}, {"code": "1 / 0"}, {"code": PNG + "print('before')\ndisplay(png)"},
                     {"code": "for number in range(2000):\n    print(str(number) + 'x' * 95)"},
                     {"code": "print('begun', flush=True)\nwhile True: pass", "timeout": 2}, {"code": "print(6 * 7)"}]
            model = Model([(kind.name, call) for call in calls])
            try:
                agent = kind(folder / "home", folder / "work", model.url, self.entry(folder))
                status, said = agent.health()
                self.assertRegex(said, kind.healthy)
                self.assertEqual(status, 0, said)
                status, said = agent.go()
                self.assertEqual(status, 0, said)
            finally:
                model.close()
            self.assertIn("DONE", said)
            self.assertEqual(len(model.results), len(calls), (said, model.strange, model.results))
            self.check_what_it_saw(agent, model)
            # an agent may kill its Cordon; a container that was just being made is then left to the next one's start
            instances = [lock.stem for lock in (folder / "cordon" / "state" / "instances").glob("*.lock")]
            subprocess.run([CORDON, "sweep"], env=dict(os.environ, **agent.entry["env"]), check=True, stdout=subprocess.DEVNULL, timeout=LIMIT)
            engine = Engine()
            until(lambda: not [each for instance in instances for each in engine.containers("io.cordon.instance=" + instance)], limit=120)

    def check_what_it_saw(self, agent, model):
        self.assertIn(agent.offered, model.last.tools())
        self.assertIn("search_tool_docs", model.last.system())  # the instructions
        two, error, image, long, timeout, number = [agent.core(result) for result in model.results]
        self.assertEqual(two.text.rstrip("\n"), "remembered: [FILE] a.txt")
        self.assertRegex(error.text, r"\Aexit status 1 \(ZeroDivisionError: division by zero\)\nstderr:\nTraceback ")
        self.assertEqual(image.text, "before\n[1 image follows]")
        scope = {}
        exec(PNG, {"struct": struct, "zlib": zlib}, scope)
        self.assertEqual(image.images, [("image/png", base64.b64encode(scope["png"]).decode())])
        self.check_long(agent, long.text)
        self.assertEqual(timeout.text.rstrip("\n"), "timed out after 2 s\nbegun\n[timeout=120 is the most to ask for]")
        self.assertEqual(number.text.rstrip("\n"), "42" + agent.last_line)
        marks = [result.is_error for result in model.results]
        if any(mark is not None for mark in marks):
            self.assertEqual(marks, [False, True, False, False, True, False])

    def check_long(self, agent, text):
        expected = printed_lines()
        if not agent.cut:
            return self.assertEqual(text.rstrip("\n"), expected.rstrip("\n"))
        head, tail = re.split(agent.cut, text)
        self.assertTrue(expected.startswith(head) and expected.rstrip("\n").endswith(tail.rstrip("\n")), text)
        self.assertGreater(len(head) + len(tail), 10_000)

    def test_claude_code(self):
        self.check(Claude)

    def test_codex(self):
        self.check(Codex)

    def test_opencode(self):
        self.check(Opencode)

    def test_gemini_cli(self):
        self.check(Gemini)


if __name__ == "__main__":
    unittest.main(verbosity=2)
