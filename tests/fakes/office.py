#!/usr/bin/env python3
"""Small upstream MCP servers of an office, as prompts and programs imagine them. office.py KIND, one of KINDS."""
import json
import sys
import time

ISSUES = [{"id": "P-1", "title": "Crash at start", "description": "A BUG in the parser"}, {"id": "P-2", "title": "Colours", "description": "A wish"}]
FILES = {"/tmp/a.txt": "nothing to see", "/tmp/b.txt": "TODO: write"}
done = []


def text(value):
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]}


def structured(value):
    return dict(text(value), structuredContent=value)


def noted(name):
    def run(arguments):
        done.append([name, arguments])
        return structured({"ok": True, "count": len(done)})
    return run


def slow(arguments):
    time.sleep(float(arguments.get("seconds") or 0))
    return text("finished")


def refuse(arguments):
    return {"isError": True, "content": [text("refused by the office")["content"][0]], "structuredContent": {"code": "E_NO", "retry": {"after": 5}}}


# kind → tool → (parameters, required ones, what it does)
KINDS = {
    "files": {"read_file": (["path"], ["path"], lambda a: text(FILES.get(a["path"], "?"))),
              "list_directory": (["path"], ["path"], lambda a: text(list(FILES))),
              "write_file": (["path", "data"], ["path", "data"], noted("write_file"))},
    "tracker": {"search_issues": (["project", "status"], ["project"], lambda a: text(ISSUES)),
                "get_issue": (["id"], ["id"], lambda a: structured(next(each for each in ISSUES if each["id"] == a["id"])))},
    "forge": {"create_issue": (["repo", "title", "body"], ["repo", "title"], noted("create_issue")),
              "done": ([], [], lambda a: text(done))},
    "service": {"check_status": ([], [], lambda a: structured({"ready": True, "detail": {"since": "today"}})),
                "execute": ([], [], noted("execute")),
                "long_operation": (["seconds"], [], slow),
                "risky_operation": ([], [], refuse),
                "list_items": ([], [], lambda a: text([{"id": number} for number in range(3)])),
                "process_item": (["id"], ["id"], lambda a: structured({"id": a["id"], "size": a["id"] * 2}))},
}
# tools that say nothing, or nothing that can be read, about their arguments
BARE = {"missing": None, "null": {"inputSchema": None}, "true": {"inputSchema": True}, "list": {"inputSchema": []}}
OPTIONAL = {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string"}, "limit": {"type": "integer", "default": None}, "note": {"type": ["string", "null"]},
    "label": {"type": "string", "nullable": True}, "where": {"type": "object", "properties": {"city": {"type": "string"}}}}}


def tools(kind):
    if kind == "bare":
        found = [dict({"name": name, "description": "takes anything"}, **(more or {})) for name, more in BARE.items()]
        return found + [{"name": "optional", "description": "optional parameters", "inputSchema": OPTIONAL},
                        {"name": "fails", "description": "a protocol error with data", "inputSchema": OPTIONAL}]
    return [{"name": name, "description": name.replace("_", " ") + " of the calendar events",
             "inputSchema": {"type": "object", "required": required, "additionalProperties": False, "properties": {each: {} for each in names}}}
            for name, (names, required, _) in KINDS[kind].items()]


def call(kind, params):
    arguments = params.get("arguments", {})
    if params["name"] == "fails":
        return {"error": {"code": -32050, "message": "the office is closed", "data": {"opens": {"at": 9}}}}
    if kind == "bare":
        return {"result": structured({"given": arguments})}
    return {"result": KINDS[kind][params["name"]][2](arguments)}


def answer(kind, message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": kind, "version": "1"}}}
    if method == "tools/list":
        return {"result": {"tools": tools(kind)}}
    return call(kind, params) if method == "tools/call" else {"error": {"code": -32601, "message": "Method not found"}}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            print(json.dumps(dict({"jsonrpc": "2.0", "id": message["id"]}, **answer(sys.argv[1], message))), flush=True)


if __name__ == "__main__":
    main()
