#!/usr/bin/env python3
"""An upstream MCP server with the tools that are hard to carry over into Python: odd names, odd parameters, odd results. odd.py [reversed]: lists them backwards."""
import json
import sys

LONG = "long_" + "n" * 195
# keywords, builtins, dunders, names of our own, not ASCII, empty after cleaning, 200 characters, equal but for case or for a dash
NAMES = ["class", "print", "__init__", "__class__", "sync", "naïve-Größe", "日本", "!!!", "Get", "get", "a-b", "a_b", "a.b", "1st", LONG]
SHADOWS = ["self", "name", "arguments", "_target", "server", "tool", "from", "class", "user-id", "größe", "", "positional"]

CHECKED = {
    "type": "object", "required": ["title", "point"], "additionalProperties": False,
    "properties": {
        "title": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
        "kind": {"enum": ["bug", "feature", "question"]},
        "labels": {"type": "array", "items": {"type": "object", "required": ["label"], "properties": {"label": {"type": "string"}}}},
        "point": {"$ref": "#/$defs/point"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    },
    "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"anyOf": [{"type": "number"}, {"type": "null"}]}}, "required": ["x"]}},
}


def schema(*names, required=(), **more):
    return {"type": "object", "properties": {name: {} for name in names}, "required": list(required), **more}


TOOLS = [{"name": name, "description": "says what it was called with", "inputSchema": schema("word")} for name in NAMES] + [
    {"name": "shadow", "description": "parameters that shadow", "inputSchema": schema(*SHADOWS, required=["name"])},
    {"name": "checked", "description": "takes an issue", "inputSchema": CHECKED},
    {"name": "unreadable", "description": "its schema is none", "inputSchema": {"type": "object", "properties": {"x": {"pattern": "(?<=never"}}}},
    {"name": "one", "description": "one parameter", "inputSchema": schema("only")},
    {"name": "first", "description": "the required one is not the first", "inputSchema": schema("optional", "needed", required=["needed"])},
    {"name": "big", "description": "gives so many bytes", "inputSchema": schema("size", required=["size"])},
    {"name": "meet", "description": "answers when three calls wait", "inputSchema": schema("number")},
    {"name": "never", "description": "does not answer", "inputSchema": schema()},
    {"name": "give", "description": "gives this CallToolResult", "inputSchema": schema("result", required=["result"])},
    {"name": "calls", "description": "how many calls were made", "inputSchema": schema()},
    {"name": "broken_promise", "description": "fails its own output schema", "inputSchema": schema(),
     "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
]
waiting = []
calls = 0


def answer(number, result):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n")
    sys.stdout.flush()


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def call(number, name, arguments):
    global calls
    calls += name != "calls"
    if name == "never":
        return
    if name == "meet":
        waiting.append((number, arguments.get("number")))
        if len(waiting) == 3:
            for each, value in waiting:
                answer(each, text(str(value)))
            waiting.clear()
        return
    if name == "big":
        return answer(number, text("x" * arguments["size"]))
    if name == "give":
        return answer(number, arguments["result"])
    if name == "calls":
        return answer(number, text(str(calls)))
    if name == "broken_promise":
        return answer(number, dict(text('{"n": "no number"}'), structuredContent={"n": "no number"}))
    answer(number, text(json.dumps({"tool": name, "arguments": arguments})))


def take(message):
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if number is None:
        return
    if method == "initialize":
        answer(number, {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}})
    elif method == "tools/list":
        answer(number, {"tools": TOOLS[::-1] if "reversed" in sys.argv else TOOLS})
    elif method == "tools/call":
        call(number, params["name"], params.get("arguments", {}))
    elif method == "ping":
        answer(number, {})
    else:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "Method not found"}}) + "\n")
        sys.stdout.flush()


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        take(json.loads(line))


if __name__ == "__main__":
    main()
