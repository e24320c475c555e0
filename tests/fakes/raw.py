#!/usr/bin/env python3
"""An upstream MCP server that answers with the bytes asked for: raw.py [http [PORT]].

Its tool `give` takes `answer`: the whole answer, each character a byte, with @ for the id of the call. `sse` (over HTTP): as an event, not as a body.
Its list of tools is not JSON: one has a description in Latin-1, one is nested too deeply, one is no object.
"""
import http.server
import json
import sys

DEEP = "[" * 600 + "]" * 600
TOOLS = ('[{"name":"give","description":"d\xe9j\xe0 vu","inputSchema":{"type":"object","properties":{"answer":{"type":"string"},"sse":{"type":"boolean"}}}},'
         '{"name":"deep","inputSchema":{"type":"object","default":%s}},5,'
         '{"name":"ping","inputSchema":{"type":"object"}}]' % DEEP)


def answer(message):
    """The bytes of the answer, or None."""
    number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if number is None or method is None:
        return None
    result = json.dumps({"content": [{"type": "text", "text": "pong"}]})
    if method == "initialize":
        result = json.dumps({"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}})
    elif method == "tools/list":
        result = '{"tools":%s}' % TOOLS
    elif method == "tools/call" and params["name"] == "give":
        return params["arguments"]["answer"].replace("@", str(number)).encode("latin-1")
    elif method == "server/discover":
        return ('{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"Method not found"}}' % number).encode()
    return ('{"jsonrpc":"2.0","id":%d,"result":%s}' % (number, result)).encode("latin-1")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = answer(message)
        as_event = ((message.get("params") or {}).get("arguments") or {}).get("sse")
        if as_event:
            body = b"".join(b"data: " + line + b"\n" for line in body.split(b"\n")) + b"\n"
        self.send_response(202 if body is None else 200)
        self.send_header("Content-Type", "text/event-stream" if as_event else "application/json")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()


def main():
    if "http" in sys.argv:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        return server.serve_forever()
    for line in sys.stdin.buffer:
        body = answer(json.loads(line))
        if body is not None:
            sys.stdout.buffer.write(body + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
