"""The session of scripts/quickstart: an MCP client on cordon's stdio, and its conversation in a readable form.

quickstart.py CORDON NPM_FOLDER FOLDER ENGINE_ENV      (NPM_FOLDER "-": the servers are folder_server.py's)
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]

DISCOVER = """
from mcp import runtime
for doc in await runtime.search_tool_docs("read the text of a file", limit=3):
    print(doc["server"], "·", doc["signature"])
"""

# Real input: the pages that say what lives where in this very checkout.
WORK = """
import asyncio

found = await mcp_filesystem.search_files(path=ROOT, pattern="**/README.md")
paths = sorted(found["content"].splitlines())
pages = await asyncio.gather(*(mcp_filesystem.read_text_file(path=path) for path in paths))
texts = [page["content"] for page in pages]

await mcp_memory.create_entities(entities=[
    {"name": path, "entityType": "page", "observations": [text.splitlines()[0], f"{len(text.split())} words"]}
    for path, text in zip(paths, texts)])

graph = await mcp_memory.read_graph()
for page in graph["entities"]:
    print(page["name"].removeprefix(ROOT), "·", " · ".join(page["observations"]))
print(sum(len(text.split()) for text in texts), "words in", len(texts), "pages")
"""

# The same with the servers that need no npm.
PYTHON_WORK = """
import asyncio

paths = sorted((await mcp_sources.search_files(pattern="**/README.md")).splitlines())
texts = await asyncio.gather(*(mcp_sources.read_text_file(path=path) for path in paths))

await asyncio.gather(*(mcp_notes.write_text_file(path=path.replace("/", "-"), text=f"{text.splitlines()[0]} · {len(text.split())} words")
                       for path, text in zip(paths, texts)))

for name in (await mcp_notes.search_files(pattern="*.md")).splitlines():
    print(name, "·", await mcp_notes.read_text_file(path=name))
print(sum(len(text.split()) for text in texts), "words in", len(texts), "pages")
"""

SEALED = """
import os, socket
for what, attempt in (("the network", lambda: socket.create_connection(("1.1.1.1", 443), timeout=3)),
                      ("your files", lambda: os.listdir(ROOT)),
                      ("the system", lambda: open("/usr/bin/python3", "a"))):
    try:
        print(what, "can be reached:", attempt())
    except OSError as error:
        print(what, "cannot be reached:", error)
"""


def indent(text, most=24):
    lines = [line if len(line) <= 110 else line[:109] + "…" for line in text.strip("\n").splitlines()]
    if len(lines) > most:
        lines[most - 1:] = ["… %d more lines" % (len(lines) - most + 1)]
    return "\n".join("    | " + line for line in lines)


def say(who, what, text="", most=24):
    print("%-17s %s" % (who, what), *([indent(text, most)] if text else []), sep="\n", flush=True)


class Session:
    """cordon serve, spoken to line by line."""

    def __init__(self, cordon, folder, servers):
        config = folder / "servers.json"
        config.write_text(json.dumps({"mcpServers": servers}, indent=2))
        environment = dict(os.environ, MCP_SERVERS_CONFIG=str(config), MCP_BRIDGE_STATE_DIR=str(folder / "state"))
        self.log = folder / "cordon.log"
        self.process = subprocess.Popen([cordon, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        stderr=self.log.open("wb"))
        self.number = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        """The result and the milliseconds that it took."""
        self.number += 1
        began = time.monotonic()
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("quickstart: cordon ended:\n" + self.log.read_text(errors="replace")[-2000:])
            message = json.loads(line)
            if message.get("id") == self.number:
                break
        if "error" in message:
            sys.exit("quickstart: %s: %s" % (method, message["error"]["message"]))
        return message["result"], (time.monotonic() - began) * 1000

    def run(self, title, code, servers):
        code = textwrap.dedent(code).strip("\n") + "\n"
        print("\n-- " + title)
        say("client → cordon", "tools/call run_python, servers %s" % (", ".join(servers) or "none"), code)
        result, took = self.ask("tools/call", {"name": "run_python", "arguments": {
            "code": "ROOT = %r\n%s" % (str(ROOT / "src"), code), "servers": servers, "timeout": 60}})
        facts = result["_meta"]["cordon/result"]
        said = "%s, %.0f ms, of which the code ran %d ms" % (facts["status"], took, facts.get("durationMs", 0))
        if facts.get("toolCalls"):
            said += "; the code called %s, %d calls" % (", ".join(facts["servers"]), facts["toolCalls"])
        say("cordon → client", said, "".join(block.get("text", "") for block in result["content"]))
        if facts["status"] != "success":
            sys.exit("quickstart: that should have been a success; build/release/cordon doctor says what this host lacks")

    def end(self):
        self.process.stdin.close()
        return self.process.wait(30)


def npm_server(npm, node, package, *arguments, **more):
    manifest = json.loads((npm / "node_modules" / package / "package.json").read_text())
    script = next(iter(manifest["bin"].values()))
    return {"command": node, "args": [str(npm / "node_modules" / package / script), *arguments], **more}


def npm_servers(npm, folder):
    pinned = npm / "node_modules" / "node" / "bin" / "node"
    node = str(pinned) if pinned.exists() else shutil.which("node")
    memory = folder / "memory.json"
    memory.unlink(missing_ok=True)
    return {
        "filesystem": npm_server(npm, node, "@modelcontextprotocol/server-filesystem", str(ROOT / "src"), description="the sources of Cordon"),
        "memory": npm_server(npm, node, "@modelcontextprotocol/server-memory", env={"MEMORY_FILE_PATH": str(memory)},
                             description="a graph of facts")}


def python_servers(folder):
    notes = folder / "notes"
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir()
    script = str(ROOT / "scripts" / "folder_server.py")
    return {"sources": {"command": sys.executable, "args": [script, str(ROOT / "src")], "description": "the sources of Cordon"},
            "notes": {"command": sys.executable, "args": [script, "--write", str(notes)], "description": "a folder of notes"}}


def converse(cordon, npm, folder):
    servers, work = (python_servers(folder), PYTHON_WORK) if npm is None else (npm_servers(npm, folder), WORK)
    session = Session(cordon, folder, servers)
    print("\n-- A client greets Cordon")
    say("client → cordon", "initialize, protocol 2025-11-25")
    info, took = session.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "quickstart", "version": "1"}})
    server = info["serverInfo"]
    say("cordon → client", "%s %s, protocol %s, %.0f ms" % (server["name"], server["version"], info["protocolVersion"], took),
        "\n".join(textwrap.wrap(info["instructions"].split("\n")[0], 106)))
    session.send({"method": "notifications/initialized"})
    say("client → cordon", "tools/list")
    tools, took = session.ask("tools/list", {})
    say("cordon → client", "%s, %.0f ms" % (", ".join(tool["name"] for tool in tools["tools"]), took))
    session.run("The model looks for a tool (the first call also starts the two servers)", DISCOVER, list(servers))
    session.run("It uses two servers in one program", work, list(servers))
    session.run("And nothing else can be reached from there", SEALED, [])
    status = session.end()
    print("\nThe client closed stdin; cordon ended with status %d.\n" % status)
    return status


ROOTFUL = """MCP_BRIDGE_ALLOW_ROOTFUL=1 in it accepts an engine that runs as root, as this one does since root started it: who broke out of a
container would be root here. As another user, scripts/quickstart makes a rootless engine, which needs no such line."""

PROMPT = "Use run_python: which MCP servers can its code call, and what are their tools? Then compute the 1000th prime in it."


def next_steps(cordon, folder, engine_env):
    """What a person does now, each as a line to paste."""
    settings = [line for line in engine_env.read_text().splitlines() if line and not line.startswith("export ")]
    root = shlex.quote(str(ROOT))
    print("1. The engine is a private one, which only this script knows. To use it in a shell, and to run a program in it:\n")
    print("    cd %s && eval \"$(scripts/engine start)\"" % root)
    print("    echo 'import sys; print(sys.version)' | %s exec -\n" % shlex.quote(cordon))
    print("2. To register Cordon with Claude Code, in all of your projects (README.md has the other clients):\n")
    words = ["claude", "mcp", "add", "--scope", "user", "cordon", *(word for setting in settings for word in ("-e", setting)), "--", cordon, "serve"]
    print("    " + shlex.join(words) + "\n")
    if "MCP_BRIDGE_ALLOW_ROOTFUL=1" in settings:
        print(ROOTFUL + "\n")
    if "MCP_BRIDGE_CONFINEMENT=report" in settings:
        print("This engine cannot enforce every limit; with `report` code runs all the same and each result says what was not in force."
              "\nWhat is missing and what would help, after the eval of 1.: %s doctor\n" % cordon)
    print("3. The servers that code may call are in ~/MCPs/*.json, with mcpServers as in Claude Desktop. Those of this session, to begin with:\n")
    print("    mkdir -p ~/MCPs && cp %s ~/MCPs/quickstart.json && %s servers\n" % (shlex.quote(str(folder / "servers.json")), shlex.quote(cordon)))
    print("4. A first prompt for the client:\n\n    %s\n" % PROMPT)
    print("The engine runs until: scripts/engine stop (and after a restart of this host, until 1. is done again).")


def main():
    cordon, npm = sys.argv[1], None if sys.argv[2] == "-" else pathlib.Path(sys.argv[2]).resolve()
    folder, engine_env = (pathlib.Path(word).resolve() for word in sys.argv[3:])
    status = converse(cordon, npm, folder)
    next_steps(cordon, folder, engine_env)
    return status


if __name__ == "__main__":
    sys.exit(main())
