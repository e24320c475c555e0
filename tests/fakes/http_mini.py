#!/usr/bin/env python3
"""An upstream MCP server over HTTP that misbehaves on purpose: http_mini.py MODE. Prints its URL, and tells on stderr what it is asked.

json      has a session, answers with (pretty-printed) JSON, refuses GET
sse       answers with streams: a comment, a progress report in another write, the answer
resume    breaks each stream off after an event id and a retry of 10 ms; the answer comes by GET with Last-Event-ID
broken    breaks each stream off and has nothing to go on with
lost      forgets its session at the first call
lost400   the same, and says it with 400
redirect  has moved to another path
away      has moved to another host
modern    speaks 2026-07-28, and answers a call with the Mcp-* headers that it came with
mismatch  modern; refuses the first call for its headers
newer     speaks a version from the future only
big       gives a result of 2 MiB
bigsse    the same, as a stream
hang      does not answer a call; says when it is told to cancel and when its client leaves
hangmodern the same, modern
auth      wants a header
stream    tells on its GET stream that its tools have changed
old       is of 2024-11-05: GET /, endpoint, POST
oldaway   the same, with an endpoint on another host
"""
import json
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

mode = sys.argv[1]
modern = mode in ("modern", "mismatch", "hangmodern")
lock = threading.Lock()
state = {"session": 0, "calls": 0, "answers": {}}
old_stream = queue.Queue()


def say(*words):
    with lock:
        sys.stderr.write(" ".join(words) + "\n")
        sys.stderr.flush()


def result_of(message, headers):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": "2024-11-05" if mode.startswith("old") else params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "http_mini", "version": "1"}}
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
    if method == "tools/list":
        region = {"type": "string", "x-mcp-header": "Region"}
        bad = {"name": "bad", "inputSchema": {"type": "object", "properties": {"x": {"type": "number", "x-mcp-header": "X"}}}}
        good = {"name": "a", "inputSchema": {"type": "object", "properties": {"region": region}}}
        return {"tools": [good, bad] if modern else [good], "resultType": "complete"}
    if mode.startswith("big"):
        return {"content": [{"type": "text", "text": "x" * (2 << 20)}]}
    shown = {k.lower(): v for k, v in headers.items() if k.lower().startswith("mcp-") and k.lower() != "mcp-session-id"}
    return {"content": [{"type": "text", "text": json.dumps(shown if modern else params.get("arguments"))}], "resultType": "complete"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", type="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def error(self, status, code, message, id=None, **more):
        self.reply(status, json.dumps({"jsonrpc": "2.0", "id": id, "error": dict({"code": code, "message": message}, **more)}).encode())

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message, **fields):
        lines = ["%s: %s" % each for each in fields.items()]
        lines += ["data: " + each for each in json.dumps(message, indent=1).split("\n")] if message is not None else ["data:"]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.wfile.flush()

    def wait_for_end(self, what):
        """Until the client closes its end."""
        self.connection.settimeout(60)
        try:
            while self.connection.recv(1):
                pass
        except OSError:
            pass
        say("client left", what)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(body)
        method = message.get("method", "answer")
        say("POST", self.path, method, "session=" + self.headers.get("Mcp-Session-Id", "-"), "version=" + self.headers.get("MCP-Protocol-Version", "-"))
        if mode == "redirect" and self.path == "/mcp":
            return self.reply(307, Location="/mcp/")
        if mode == "away":
            return self.reply(307, Location="http://127.0.0.2:9/mcp")
        if mode == "auth" and self.headers.get("X-Key") != "k":
            return self.reply(401, b"who are you?", "text/plain")
        if mode.startswith("old") and self.path != "/post?x=1":
            return self.reply(404, b"no such page", "text/plain")
        if "id" not in message or "method" not in message:
            if method == "notifications/cancelled":
                say("told to cancel", json.dumps(message["params"]["requestId"]))
            if mode.startswith("lost") and method == "notifications/initialized":
                time.sleep(0.05)  # what follows must wait for this
            return self.reply(202)
        self.answer(message)

    def answer(self, message):
        id, method = message["id"], message["method"]
        if mode == "newer":
            return self.error(400, -32022, "unsupported", id, data={"supported": ["2027-01-01"], "requested": "2026-07-28"})
        if modern and self.headers.get("Mcp-Method") != method:
            return self.error(400, -32020, "Mcp-Method", id)
        if not modern and method == "server/discover":
            return self.error(400, -32600, "Bad Request: Server not initialized")
        if not modern and not mode.startswith("old") and method != "initialize" and self.headers.get("Mcp-Session-Id") != "s%d" % state["session"]:
            return self.error(404, -32001, "Session not found", id)
        if method == "tools/call" and not self.take_call(message):
            return
        whole = {"jsonrpc": "2.0", "id": id, "result": result_of(message, self.headers)}
        if mode.startswith("old"):
            self.reply(202, b"Accepted", "text/plain")
            return old_stream.put(whole)
        if method == "initialize":
            state["session"] += 1
            return self.reply(200, json.dumps(whole).encode(), Mcp_Session_Id="s%d" % state["session"])
        if mode in ("sse", "resume", "broken", "bigsse"):
            return self.stream(whole)
        self.reply(200, json.dumps(whole, indent=2).encode(), "application/json; charset=utf-8")

    def take_call(self, message):
        state["calls"] += 1
        first = state["calls"] == 1
        if first and mode.startswith("lost"):
            state["session"] += 100
            if mode == "lost":
                self.error(404, -32001, "Session not found", message["id"])
            else:
                self.error(400, -32000, "Bad Request: No valid session ID provided")
        elif first and mode == "mismatch":
            self.error(400, -32020, "Mcp-Param-Region does not match", message["id"])
        elif mode.startswith("hang"):
            self.begin_stream()
            self.wait_for_end("a call")
        else:
            return True
        return False

    def stream(self, whole):
        self.begin_stream()
        self.wfile.write(b": keepalive\n\n")
        if mode == "resume":
            state["answers"]["e%d" % whole["id"]] = whole
            return self.event(None, id="e%d" % whole["id"], retry=10)
        if mode == "broken":
            return
        self.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
        self.event(whole, event="message")

    def do_GET(self):
        say("GET", self.path, "last=" + self.headers.get("Last-Event-ID", "-"), "session=" + self.headers.get("Mcp-Session-Id", "-"))
        if mode.startswith("old"):
            self.begin_stream()
            self.wfile.write(("event: endpoint\ndata: %s\n\n" % ("http://127.0.0.2:9/post" if mode == "oldaway" else "/post?x=1")).encode())
            while True:
                self.event(old_stream.get(), event="message")
        last = self.headers.get("Last-Event-ID")
        if mode == "resume" and last in state["answers"]:
            self.begin_stream()
            return self.event(state["answers"][last])
        if mode == "stream":
            self.begin_stream()
            self.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            return self.wait_for_end("the stream")
        self.reply(405)

    def do_DELETE(self):
        say("DELETE", "session=" + self.headers.get("Mcp-Session-Id", "-"))
        self.reply(200)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("http://127.0.0.1:%d/mcp" % server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
