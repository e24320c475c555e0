"""The host's side of the guest protocol, for tests: starts the real guest as PID 1 of a new PID namespace and speaks to it.

    with Guest() as guest:
        result = guest.run("print(1 + 1)")
        assert result.stdout == "2\\n"

Tool calls are answered from `tools`: {"server": {"tool": function of the arguments, or a CallToolResult}}.
"""
import base64
import json
import os
import queue
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "src", "guest", "build"))
import bundle  # noqa: E402

PYTHON = os.environ.get("GUEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
PROGRAM = ["-I", "-u", "-B", "-X", "utf8", "-c"]


# A root of its own: the machine's directories, or those of the tree that GUEST_ROOT names (another Debian, say), and besides
# /workspace and /tmp as the container has them.
TREE = os.environ.get("GUEST_ROOT", "")
NEW_ROOT = r"""
set -e
mount -t tmpfs -o mode=755 none /mnt
for place in "$GUEST_ROOT"/* /proc /dev /sys; do
    new="/mnt/${place##*/}"
    if [ "$new" = /mnt/mnt ] || [ -e "$new" ] || [ -L "$new" ]; then continue; fi
    if [ -L "$place" ]; then cp -P "$place" "$new"; continue; fi
    if [ ! -d "$place" ]; then continue; fi
    mkdir "$new"
    case "$new" in /mnt/proc|/mnt/dev|/mnt/sys) mount --rbind "/${place##*/}" "$new";; *) mount --rbind "$place" "$new";; esac
done
mkdir /mnt/workspace
for place in tmp workspace dev/shm; do mount -t tmpfs -o mode=1777,nosuid,nodev,size=128m none /mnt/$place; done
cd /mnt
"""
AS_NOBODY = 'exec chroot . setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --no-new-privs --inh-caps=-all '
# A root of a user namespace may only map himself, and nobody makes one in a chroot: so another root, and a namespace in it.
OF_A_USER = ('PATH="$PATH:/usr/sbin:/sbin" pivot_root . .; umount -l .; cd /; '
             'exec unshare --user --map-user=65534 --map-group=65534 setpriv --no-new-privs ')
ENTER = 'sh -c \'cd /workspace; HOME=/workspace exec "$@"\' sh "$@"'


def own_namespaces(python):
    """The command that makes the guest PID 1, as uid 65534: of this machine where we are root, else of a user namespace."""
    program = [python, *PROGRAM]
    if os.geteuid() == 0 and (TREE or reachable_by_all(python)):
        return ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                NEW_ROOT + AS_NOBODY + ENTER, "sh", *program]
    return ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc",
            "sh", "-c", NEW_ROOT + OF_A_USER + ENTER, "sh", *program]


def reachable_by_all(path):
    path = os.path.realpath(path)
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


class CallError(Exception):
    """Raised by a tool function: the call is answered with this JSON-RPC error."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Result:
    """What one execution gave: the fields of its `execute` result as attributes, and what came before it."""

    def __init__(self, answer, messages):
        self.answer = answer
        self.messages = messages

    def __getattr__(self, name):
        try:
            return self.answer[name]
        except KeyError:
            raise AttributeError(name) from None

    def _text(self, stream):
        head = "".join(params["text"] for method, params in self.messages if method == "output" and params["stream"] == stream)
        rest = self.answer[stream]
        middle = "[%d bytes]" % rest["omitted_bytes"] if rest["omitted_bytes"] else ""
        return head + middle + rest["tail"]

    @property
    def stdout(self):
        return self._text("stdout")

    @property
    def stderr(self):
        return self._text("stderr")

    def sent(self, method):
        """The params of all notifications of one method."""
        return [params for name, params in self.messages if name == method]

    def __repr__(self):
        return "Result(%r, stdout=%r, stderr=%r)" % (self.answer, self.stdout[-2000:], self.stderr[-4000:])


class Guest:
    """One guest. `messages` of each execution are kept; requests are answered by a thread each, so that they may overlap."""

    def __init__(self, python=PYTHON, tools=None, boot=True, wrapper=own_namespaces, servers=None, saved=None,
                 life_seconds=120, heartbeat_seconds=60, wait=True, env=None, codes=b"", image=None, preload=()):
        variables = b"".join(b"%s=%s\0" % (name.encode(), value.encode()) for name, value in (image or {}).items())
        early = "\n".join([str(256 << 20), *preload]).encode() if preload else b""
        self.tools = tools or {}
        self.servers = servers if servers is not None else [
            {"name": name, "alias": name.replace("-", "_"), "description": "server " + name} for name in self.tools]
        self.saved = {} if saved is None else saved
        self.requests = []
        self.unknown = []
        self.next_id = 1
        self.answers = {}
        self.messages = []
        self.current = []
        self.lock = threading.Lock()
        self.ready_params = None
        self.compiled = b""  # the guest's modules as code; None where that came after `ready`
        self.ready_event = threading.Event()
        self.closed = threading.Event()
        self.process = subprocess.Popen(wrapper(python) + [bundle.loader_text()], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.last_words = b""
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_stderr, daemon=True).start()
        self.write(bundle.blob_bytes() + bundle.framed(codes) + bundle.framed(variables) + bundle.framed(early))
        if boot:
            try:
                self.notify("boot", {"life_seconds": life_seconds, "heartbeat_seconds": heartbeat_seconds})
            except BrokenPipeError:  # it has said why it cannot begin, and gone
                if wait:
                    raise
        if boot and wait:
            self.wait_ready()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.closed.wait(5)
            for stream in (self.process.stdout, self.process.stderr):
                stream.close()

    def wait_ready(self, timeout=30):
        if not self.ready_event.wait(timeout) or self.ready_params is None:
            raise AssertionError("the guest did not become ready: %r" % self.last_words)
        return self.ready_params

    # Writing

    def write(self, data):
        with self.lock:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def notify(self, method, params):
        self.write(line({"jsonrpc": "2.0", "method": method, "params": params}))

    def answer(self, request_id, result):
        self.write(line({"jsonrpc": "2.0", "id": request_id, "result": result}))

    def refuse(self, request_id, kind, message):
        error = {"code": -32000, "message": message, "data": {"kind": kind}}
        self.write(line({"jsonrpc": "2.0", "id": request_id, "error": error}))

    # Executions

    def start(self, code, timeout=20, session=False, head=15000, tail=15000, figures=True, servers=None,
              terminal=True):
        """Sends `execute`; the id to give to `result`."""
        request_id, self.next_id = self.next_id, self.next_id + 1
        self.answers[request_id] = queue.Queue()
        self.current = []
        params = {"code": code, "timeout_seconds": timeout, "servers": self.servers if servers is None else servers,
                  "output": {"head": head, "tail": tail}, "session": session, "saved_tools": sorted(self.saved),
                  "figures": figures, "terminal": terminal}
        self.write(line({"jsonrpc": "2.0", "id": request_id, "method": "execute", "params": params}))
        return request_id

    def result(self, request_id, within=60):
        message = self.answers[request_id].get(timeout=within)
        if message is None:
            raise AssertionError("the guest ended: %r" % self.last_words)
        if "error" in message:
            raise AssertionError("execute failed: %r" % message["error"])
        return Result(message["result"], self.current)

    def run(self, code, **options):
        return self.result(self.start(code, **options), within=options.get("timeout", 20) * 2 + 20)

    # Reading

    def _read(self):
        for text in self.process.stdout:
            if not text.endswith(b"\n"):
                break  # it ended in the midst of a line
            try:
                message = json.loads(text)
            except ValueError:  # user code can make a call's line wrong behind its beginning, which the supervisor checked
                self.refuse(int(text.partition(b'"id":')[2].partition(b",")[0]), "arguments", "not JSON")
                continue
            if "method" not in message:
                self.answers[message["id"]].put(message)
            elif "id" in message:
                self.requests.append((message["method"], message["params"]))
                threading.Thread(target=self._serve, args=(message,), daemon=True).start()
            elif message["method"] == "ready":
                self.ready_params = message["params"]
                self.ready_event.set()
            elif message["method"] == "compiled":
                self.compiled = None if self.ready_params else base64.b64decode(message["params"]["data"], validate=True)
            else:
                self.current.append((message["method"], message["params"]))
        for waiting in self.answers.values():
            waiting.put(None)
        self.ready_event.set()
        self.closed.set()

    def _read_stderr(self):
        self.last_words = self.process.stderr.read()

    def _serve(self, message):
        try:
            result = self.handle(message["method"], message["params"])
            if result is not None:
                self.answer(message["id"], result)
        except CallError as failure:
            self.refuse(message["id"], failure.kind, str(failure))
        except (BrokenPipeError, ValueError):
            pass  # the guest has ended
        except threading.BrokenBarrierError:
            self.refuse(message["id"], "upstream", "the calls did not meet")

    def handle(self, method, params):
        """The answer to one request of the guest's; None leaves it unanswered."""
        if method == "servers":
            return {"servers": [dict(server, usable=True, state="ready") for server in self.servers]}
        if method == "list_tools":
            return {"server": dict(self._server(params["server"]), cwd="/"), "tools": self.tool_list(params["server"])}
        if method == "call_tool":
            return self.call_tool(params["server"], params["tool"], params["arguments"])
        if method == "query_tool_docs":
            return {"tools": self.docs(params["server"], params.get("tool"))}
        if method == "search_tool_docs":
            return {"results": [doc for server in self.tools for doc in self.docs(server, None)][:params["limit"]]}
        if method == "capability_summary":
            return {"text": "the manual"}
        if method == "save_tool":
            replaced = params["name"] in self.saved
            self.saved[params["name"]] = params["source"]
            return {"replaced": replaced}
        if method == "saved_tools":
            wanted = params.get("names", list(self.saved))
            return {"tools": [{"name": name, "source": self.saved[name]} for name in wanted if name in self.saved]}
        if method == "delete_tool":
            return {"deleted": self.saved.pop(params["name"], None) is not None}
        raise CallError("upstream", "no method " + method)

    def _server(self, name):
        for server in self.servers:
            if server["name"] == name:
                return server
        raise CallError("unknown_server", "no server %r" % name)

    def tool_list(self, server):
        listed = []
        for name, tool in self.tools.get(server, {}).items():
            schema = getattr(tool, "schema", None) or {"type": "object", "properties": {}}
            listed.append({"name": name, "alias": name.replace("-", "_"), "description": getattr(tool, "__doc__", None) or "",
                           "inputSchema": schema})
        return listed

    def docs(self, server, tool):
        return [{"server": server, "server_alias": server, "name": facts["name"], "alias": facts["alias"],
                 "description": facts["description"], "signature": facts["alias"] + "()"}
                for facts in self.tool_list(server) if tool in (None, facts["name"])]

    def call_tool(self, server, tool, arguments):
        self._server(server)
        if tool not in self.tools[server]:
            raise CallError("unknown_tool", "no tool %r" % tool)
        answer = self.tools[server][tool]
        return answer(arguments) if callable(answer) else answer


def line(message):
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def text_result(text):
    return {"content": [{"type": "text", "text": text}]}


def with_schema(**properties):
    """A decorator: gives a tool function its input schema. `required` is a list among the properties."""
    required = properties.pop("required", [])

    def decorate(function):
        function.schema = {"type": "object", "properties": properties, "required": required}
        return function
    return decorate


def wait_until(condition, seconds=10):
    """Waits for something that the guest will do by itself; fails when it does not."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.005)
