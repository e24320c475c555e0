#!/usr/bin/env python3
"""An upstream MCP server that does nothing, as fast as it can: nothing.py TOOLS [BYTES].

Its tool t0, like all others, answers with an empty text; `big` answers with BYTES of text.
"""
import json
import sys

count, size = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}


def tools():
    found = [{"name": "t%d" % i, "description": "Does thing number %d with a path." % i, "inputSchema": SCHEMA} for i in range(count)]
    return found + ([{"name": "big", "inputSchema": {"type": "object"}}] if size else [])


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "nothing", "version": "1"}}
    if method == "tools/list":
        return {"tools": tools()}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "x" * size if params["name"] == "big" else ""}]}
    return None if method != "ping" else {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = answer(message["method"], message.get("params") or {})
    body = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no such method"}}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}) + "\n")
    sys.stdout.flush()
