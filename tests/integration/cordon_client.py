"""A cordon under test, spoken to as an MCP client does over stdio, and the engine behind it, asked over its own REST API."""
import concurrent.futures
import hashlib
import http.client
import json
import os
import pathlib
import queue
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORDON = os.environ.get("CORDON_BINARY", str(ROOT / "build" / "dev" / "cordon"))
NPM = pathlib.Path(os.environ.get("CORDON_NPM", str(ROOT / "build" / "npm" / "node_modules")))
LIMIT = 60  # seconds, for anything that should take less than one


def npm_server(package, *arguments, **more):
    """An entry of mcpServers for a server from the pinned packages."""
    manifest = json.loads((NPM / package / "package.json").read_text())
    binary = manifest["bin"] if isinstance(manifest["bin"], str) else next(iter(manifest["bin"].values()))
    return {"command": shutil.which("node"), "args": [str(NPM / package / binary), *arguments], **more}


def record_elsewhere(state):
    """Where a Cordon keeps its record of accepted servers while one of them can write to its state folder."""
    name = "accepted-" + hashlib.sha256(str(state).encode()).hexdigest()[:16] + ".json"
    return pathlib.Path("/var/tmp/cordon-%d" % os.geteuid(), name)


def tokens(text):
    """How many a model is charged for it, by the o200k tokenizer."""
    script = pathlib.Path(__file__).with_name("tokens.mjs")
    done = subprocess.run([shutil.which("node"), str(script)], input=text.encode(), stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, CORDON_NPM=str(NPM)), timeout=LIMIT)
    return int(done.stdout)


class Engine:
    """The engine of MCP_BRIDGE_RUNTIME_SOCKET, which must be a Unix socket."""

    def __init__(self, url=None):
        url = url or os.environ["MCP_BRIDGE_RUNTIME_SOCKET"]
        assert url.startswith("unix://"), url
        self.path = url[len("unix://"):]
        self.podman = "Libpod-Api-Version" in self.request("GET", "/_ping")[1]

    def request(self, method, target, body=None, headers=None, limit=LIMIT):
        connection = http.client.HTTPConnection("engine", timeout=limit)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(limit)
        connection.sock.connect(self.path)
        connection.request(method, target, body, {**({"Content-Type": "application/json"} if body else {}), **(headers or {})})
        answer = connection.getresponse()
        found = answer.status, answer.headers, answer.read()
        answer.close()
        connection.close()
        return found

    def containers(self, *labels):
        """Names of all containers with these labels, whatever their state."""
        return sorted(self.labels(*labels))

    def labels(self, *wanted):
        """Of all containers with these labels, by name."""
        filters = urllib.parse.quote(json.dumps({"label": list(wanted)}))
        # podman's own list: its Docker one fails as a whole for one container that was half removed
        target = "/v4.0.0/libpod/containers/json" if self.podman else "/containers/json"
        status, _, body = self.request("GET", target + "?all=true&filters=" + filters)
        assert status == 200, body
        # Docker that was killed in mid-removal lists one without a name
        return {(each["Names"] or [each["Id"]])[0].lstrip("/"): each["Labels"] for each in json.loads(body)}

    def stranger(self, **labels):
        """A container that was made and never started, with all labels that a Cordon gives one: by default one of another host's, these in
        place of some. Its name."""
        labels = {"owner": "ab" * 16 + "-1000", "boot": "00000000-0000-4000-8000-000000000000-4026531836", "instance": os.urandom(8).hex(),
                  "process": "1-1", "created": "1", "deadline": str(int(time.time()) + 7200), **labels}
        name = "cordon-" + labels["instance"][:8] + "-" + os.urandom(6).hex()
        marks = {"io.cordon": "1", **{"io.cordon." + key: value for key, value in labels.items()}}
        body = json.dumps({"Image": os.environ["MCP_BRIDGE_IMAGE"], "Cmd": ["true"], "Labels": marks})
        status, _, answer = self.request("POST", "/containers/create?name=" + name, body)
        assert status == 201, answer
        return name

    def processes(self, name):
        """Ids, on the engine's host, of all processes in a container; of those below its first, only where that host is this one. One that was
        made and not started has none, though podman tells of the runtime's, which waits for the start."""
        status, _, body = self.request("GET", "/containers/%s/json" % name)
        state = json.loads(body)["State"] if status == 200 else {}
        pid = 0 if state.get("Status") in ("created", "initialized") else state.get("Pid", 0)
        return [pid, *descendants(pid)] if pid else []

    def kill(self, name):
        return self.request("POST", "/containers/%s/kill?signal=KILL" % name)[0]

    def remove(self, name):
        return self.request("DELETE", "/containers/%s?force=true" % name)[0]


class Cordon:
    """`cordon serve` with a home and a state folder of its own. `servers`: the mcpServers that it finds in ~/MCPs. `wrapper`: the words of
    a program that becomes it. `binary`: another build than CORDON_BINARY's."""

    def __init__(self, *flags, servers=None, env=None, version="2025-11-25", initialize=True, capabilities=None, wrapper=(), binary=CORDON):
        self.home = tempfile.TemporaryDirectory(prefix="cordon-home-")
        home = pathlib.Path(self.home.name)
        (home / "MCPs").mkdir()
        if servers:
            (home / "MCPs" / "servers.json").write_text(json.dumps({"mcpServers": servers}))
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MCP_SERVERS"))}
        environment.update(CORDON_PREWARM="0")  # nothing is made that a test does not ask for
        environment.update(HOME=str(home), MCP_BRIDGE_STATE_DIR=str(home / "state"), **(env or {}))
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*wrapper, binary, "serve", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.stderr, env=environment, start_new_session=True)
        self.lock = threading.Lock()
        self.waiting = {}
        self.notifications = queue.Queue()
        self.not_json = []
        self.lines = []
        self.next_id = 0
        self.deaf = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if initialize:
            self.info = self.request("initialize", {"protocolVersion": version, "capabilities": capabilities or {},
                                                    "clientInfo": {"name": "integration", "version": "1"}})
            self.notify("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _lines(self):
        """Lines of its output, until its end or go_deaf(): a pipe is closed only when nobody waits in a read of it."""
        fd, pieces = self.process.stdout.fileno(), []
        while not self.deaf.is_set():
            if not select.select([fd], [], [], 0.05)[0]:
                continue
            data = os.read(fd, 1 << 20)
            if not data:
                return
            pieces.append(data)
            if b"\n" in data:
                *lines, last = b"".join(pieces).split(b"\n")
                pieces = [last]
                yield from lines
        self.process.stdout.close()

    def go_deaf(self):
        """Closes our end of its output."""
        self.deaf.set()
        self.reader.join(5)

    def _read(self):
        for line in self._lines():
            try:
                message = json.loads(line)
            except ValueError:
                self.not_json.append(line)
                continue
            self.lines.append(message)
            if isinstance(message, list) or "method" in message:
                self.notifications.put(message)
            elif message.get("id") in self.waiting:
                self.waiting[message["id"]].set_result(message)
        for waiting in list(self.waiting.values()):
            if not waiting.done():
                waiting.set_exception(ConnectionError("cordon has ended"))

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        with self.lock:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})})

    def start(self, method, params=None):
        """Sends a request; gives its id and a future of the whole answer."""
        with self.lock:
            self.next_id += 1
            number = self.next_id
            self.waiting[number] = concurrent.futures.Future()
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return number, self.waiting[number]

    def answer(self, method, params=None, limit=LIMIT):
        return self.start(method, params)[1].result(limit)

    def request(self, method, params=None, limit=LIMIT):
        message = self.answer(method, params, limit)
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def start_run(self, code, **arguments):
        return self.start("tools/call", {"name": "run_python", "arguments": {"code": code, **arguments}})

    def begin_run(self, code, **arguments):
        """A run that is under way: the request's id and a future of its answer, once the code has said `runtime.progress(1, 2, 'begun')`."""
        token = os.urandom(4).hex()
        number, answer = self.start("tools/call", {"name": "run_python", "_meta": {"progressToken": token}, "arguments": {"code": code, **arguments}})
        begun = {"progressToken": token, "message": "begun", "progress": 1, "total": 2}
        until(lambda: answer.done() or (not self.notifications.empty() and self.notifications.get().get("params") == begun))
        assert not answer.done(), answer.result()
        return number, answer

    def run(self, code, limit=LIMIT * 3, **arguments):
        return Result(self.start_run(code, **arguments)[1].result(limit))

    def instances(self):
        return [path.stem for path in pathlib.Path(self.home.name, "state", "instances").glob("*.lock")]

    def containers(self, engine):
        return [name for instance in self.instances() for name in engine.containers("io.cordon.instance=" + instance)]

    def children(self):
        """All processes that descend from it."""
        return descendants(self.process.pid)

    def end(self, limit=15):
        """Ends its input and gives its exit status."""
        self.process.stdin.close()
        return self.process.wait(limit)

    def close(self):
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(5)
        self.process.stdout.close()
        said = self.log()
        self.stderr.close()
        self.home.cleanup()
        record_elsewhere(os.path.join(self.home.name, "state")).unlink(missing_ok=True)
        for sign in ("AddressSanitizer", "LeakSanitizer", "runtime error:", "Assertion"):
            assert sign not in said, said[-5000:]

    def log(self):
        self.stderr.seek(0)
        return self.stderr.read().decode("utf-8", "replace")


class Result:
    """What run_python answered."""

    def __init__(self, message):
        self.message = message
        self.error = message.get("error")
        result = message.get("result", {})
        self.blocks = result.get("content", [])
        self.is_error = result.get("isError", False)
        self.structured = result.get("structuredContent")
        self.facts = result.get("_meta", {}).get("cordon/result", {})
        self.status = self.facts.get("status")
        self.text = "".join(block["text"] for block in self.blocks if block["type"] == "text")

    def __repr__(self):
        return "<%s %r %s>" % (self.status, self.text[:2000], self.error or "")


def descendants(pid):
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = pathlib.Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            state, parent = stat.rsplit(")", 1)[1].split()[:2]
            if state not in "ZX":
                parents.setdefault(int(parent), []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        new = parents.get(todo.pop(), [])
        found += new
        todo += new
    return found


def alive(pid):
    try:
        return pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def cpu_seconds(pid):
    """Time that a process has computed, so far; 0 for one that is gone."""
    try:
        fields = pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(condition, limit=60, every=0.02):
    """Waits for something to become true, and gives it; fails after the limit."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(every)
    raise AssertionError("not so within %s s: %s" % (limit, condition))


def kill_group(process):
    os.killpg(process.pid, signal.SIGKILL)
