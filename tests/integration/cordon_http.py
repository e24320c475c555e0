"""`cordon serve --http` under test, spoken to as clients of both eras do. Nothing here needs an engine; what is run in it may."""
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import ssl
import subprocess
import tempfile

from cordon_client import CORDON, LIMIT, Result

META = "io.modelcontextprotocol/"


class HttpCordon:
    """`cordon serve --http` on a free port of loopback, with a home of its own; `address_space`: what `ulimit -v` leaves it, in bytes. Ends
    with status 0, or the test fails."""

    def __init__(self, *flags, home=None, env=None, host="127.0.0.1", address_space=None):
        self.made = None if home else tempfile.TemporaryDirectory(prefix="cordon-home-")
        self.home = home or self.made.name
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MCP_SERVERS"))}
        environment.update(HOME=self.home, MCP_BRIDGE_STATE_DIR=self.home + "/state", **(env or {}))
        self.process = subprocess.Popen([CORDON, "serve", "--http", host + ":0", *flags], stdin=subprocess.DEVNULL, env=environment,
                                        stderr=subprocess.PIPE, text=True)
        if address_space:
            resource.prlimit(self.process.pid, resource.RLIMIT_AS, (address_space, address_space))
        self.said = ""
        while not (found := re.search(r"serving (https?)://(\S+):(\d+)/mcp\n", self.said)):
            line = self.process.stderr.readline()
            assert line, self.said
            self.said += line
        self.tls, self.port = found.group(1) == "https", int(found.group(3))
        self.url = "%s://%s:%d/mcp" % (found.group(1), host, self.port)
        while "--http-no-token" not in flags and "Bearer" not in self.said:
            self.said += self.process.stderr.readline()

    @property
    def token(self):
        return pathlib.Path(self.home, "state", "http-token").read_text().strip()

    def instances(self):
        return [path.stem for path in pathlib.Path(self.home, "state", "instances").glob("*.lock")]

    def containers(self, engine):
        return [name for instance in self.instances() for name in engine.containers("io.cordon.instance=" + instance)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Asks it to end; once more does nothing."""
        if self.process.stderr.closed:
            return
        try:
            self.process.send_signal(signal.SIGTERM)
            status = self.process.wait(LIMIT)
        finally:
            self.process.kill()
            self.process.wait()
            rest = self.process.stderr.read()
            self.process.stderr.close()
            if self.made:
                self.made.cleanup()
        assert status == 0, (status, self.said, rest)


class Answer:
    """One HTTP answer, read to its end: status, headers, and the JSON-RPC messages in it."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read().decode()
        self.stream = self.headers.get_content_type() == "text/event-stream"
        if self.stream:
            events = [line[len("data: "):] for line in self.body.splitlines() if line.startswith("data: ")]
            self.messages = [json.loads(event) for event in events]
        else:
            self.messages = [json.loads(self.body)] if self.body else []

    @property
    def last(self):
        return self.messages[-1]


class Client:
    """What both eras share: POSTs, each on a connection of its own."""

    def __init__(self, cordon, token=None, cafile=None):
        self.cordon, self.cafile, self.next_id = cordon, cafile, 0
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token:
            self.headers["Authorization"] = "Bearer " + token

    def connect(self):
        if self.cordon.tls:
            return http.client.HTTPSConnection("localhost", self.cordon.port, timeout=LIMIT * 3, context=ssl.create_default_context(cafile=self.cafile))
        return http.client.HTTPConnection("127.0.0.1", self.cordon.port, timeout=LIMIT * 3)

    def post(self, body, headers=(), method="POST"):
        connection = self.connect()
        connection.request(method, "/mcp", body, {**self.headers, **dict(headers)})
        response = connection.getresponse()
        try:
            return Answer(response)
        finally:
            response.close()
            connection.close()

    def message(self, method, params):
        self.next_id += 1
        return {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}

    def request(self, method, params=None):
        """The result; what was asked for must have worked."""
        answer = self.answer(method, params)
        assert answer.status == 200 and "result" in answer.last, (answer.status, answer.body)
        return answer.last["result"]

    def run(self, code, **arguments):
        return Result(self.answer("tools/call", {"name": "run_python", "arguments": {"code": code, **arguments}}).last)


class Modern(Client):
    """A client of 2026-07-28: it has nothing that tells it from others."""

    def prepared(self, method, params=None):
        """Body and headers of a request."""
        meta = dict((params or {}).get("_meta", {}), **{META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}})
        params = dict(params or {}, _meta=meta)
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if "name" in params or "uri" in params:
            headers["Mcp-Name"] = params.get("name") or params["uri"]
        return json.dumps(self.message(method, params)), headers

    def answer(self, method, params=None):
        return self.post(*self.prepared(method, params))


class Legacy(Client):
    """A client with a session."""

    def __init__(self, cordon, version="2025-11-25", capabilities=None, **more):
        super().__init__(cordon, **more)
        opened = self.answer("initialize", {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": {"name": "legacy", "version": "1"}})
        assert opened.status == 200, opened.body
        self.headers.update({"Mcp-Session-Id": opened.headers["Mcp-Session-Id"], "MCP-Protocol-Version": version})
        assert self.post(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})).status == 202

    def answer(self, method, params=None):
        return self.post(json.dumps(self.message(method, params or {})))
