#!/usr/bin/env python3
"""An upstream MCP server that misbehaves on purpose: mini.py MODE.

ok        does everything right, with one tool "a" that echoes its arguments
crash     dies at start with a message on stderr
banner    prints a banner and a blank line before it speaks
slowN     comes up after N seconds
never     does not answer initialize
crlf      ends its lines with CR LF
mute      does not answer server/discover
exit      dies on server/discover, as servers do that expect initialize first
late      the same, but reads it only when initialize comes, too
old       speaks 2024-11-05
mar       speaks 2025-03-26
future    speaks 2099-01-01
strid     gives our numbers back as strings
badtool   lists a tool without a schema beside a good one
batch     answers tools/list as an array
page      lists its tools on three pages
loop      gives the same cursor for ever
flood     writes much to stderr at every request
modern    speaks 2026-07-28 and nothing else
modernbad speaks a version from the future and nothing else
input     modern, and its tool asks a person, then gives what it was told
sample    modern, and its tool asks for a model
again     modern, and its tool asks to be asked again for ever
deaf      never reads after its tools were listed, ignores SIGTERM; says its process id on stderr then
die       dies when its tool is called, with a message on stderr
big       its tool gives a result of 2 MiB
hang      does not answer a call, and says on stderr what it is told meanwhile
progress  reports progress before it answers a call
change    has another tool after each call, and says so
asks      asks the client for things before it answers a call, and gives what it was told
person    asks a person, where it may, before it answers a call, and gives what it was told. Arguments: "ask" is added to its question;
          "times" is how often it asks; "withdraw" takes the questions back at once
"""
import json
import os
import signal
import sys
import time

mode = sys.argv[1]
newline = "\r\n" if mode == "crlf" else "\n"
modern = mode in ("modern", "modernbad", "input", "sample", "again")
calls = 0
pending = None  # the call that waits for answers to our own requests
told = []
questions = {}  # of mode person: by the id of a call that waits, what was answered to its questions
may_ask = False
probed = []  # of mode late: the probes that it will die of


def write(message):
    sys.stdout.write(json.dumps(message) + newline)
    sys.stdout.flush()


def tools(params):
    one = {"name": "a", "description": "echoes", "inputSchema": {"type": "object"}}
    if mode == "badtool":
        return {"tools": [one, {"name": "b"}]}
    if mode == "page":
        cursor = params.get("cursor", "")
        page = {"tools": [dict(one, name="p" + (cursor or "0"))]}
        return page if cursor == "2" else dict(page, nextCursor=str(int(cursor or 0) + 1))
    if mode == "loop":
        return {"tools": [one], "nextCursor": ""}
    return {"tools": [dict(one, name="a%d" % i if i else "a") for i in range(calls + 1)]} if mode == "change" else {"tools": [one]}


def call(params):
    if mode == "big":
        return {"content": [{"type": "text", "text": "x" * (2 << 20)}]}
    if mode in ("input", "sample", "again") and ("inputResponses" not in params or mode == "again"):
        method = "elicitation/create" if mode == "input" else "sampling/createMessage"
        form = {"message": "Which size?", "requestedSchema": {"type": "object"}}
        requests = {} if mode == "again" else {"inputRequests": {"q": {"method": method, "params": form}}}
        return dict(requests, resultType="input_required", requestState="as it was")
    if mode == "input":
        return {"content": [{"type": "text", "text": json.dumps({k: params[k] for k in ("inputResponses", "requestState")})}]}
    return {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]}


def initialized(params):
    version = {"old": "2024-11-05", "future": "2099-01-01", "mar": "2025-03-26"}.get(mode, params["protocolVersion"])
    return {"protocolVersion": version, "capabilities": {"tools": {"listChanged": mode == "change"}}, "serverInfo": {"name": "mini", "version": "1"}}


def discovered():
    return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "mini", "version": "2"}}}


def error(id, code, message, **more):
    write({"jsonrpc": "2.0", "id": id, "error": dict({"code": code, "message": message}, **more)})


def answer(id, result):
    if modern:
        result = dict({"resultType": "complete"}, **result)
    message = {"jsonrpc": "2.0", "id": str(id) if mode == "strid" else id, "result": result}
    write([message] if mode == "batch" and "tools" in result else message)


def ask_person(id, arguments):
    form = {"type": "object", "properties": {"size": {"type": "integer", "default": 3}}, "required": ["size"]}
    params = dict({"message": "Which size?", "requestedSchema": form}, **arguments.get("ask", {}))
    asked = ["q%s.%d" % (id, i) for i in range(arguments.get("times", 1))]
    for question in asked:
        write({"jsonrpc": "2.0", "id": question, "method": "elicitation/create", "params": params})
        if "withdraw" in arguments:
            write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": question}})
    if "withdraw" in arguments:
        return answer(id, {"content": [{"type": "text", "text": "never mind"}]})
    questions[id] = dict.fromkeys(asked)


def take_answer(message):
    sys.stderr.write("told " + json.dumps(message) + "\n")
    sys.stderr.flush()
    for call_id, asked in list(questions.items()):
        if message["id"] in asked:
            asked[message["id"]] = message.get("result") or message["error"]
        if all(asked.values()):
            del questions[call_id]
            answer(call_id, {"content": [{"type": "text", "text": json.dumps(list(asked.values()))}]})


def take_call(id, params):
    global calls, pending
    calls += 1
    if mode == "die":
        sys.exit("fatal: the tool killed me")
    if mode == "hang":
        return
    if mode == "progress":
        token = params["_meta"]["progressToken"]
        for done in (1, 2, 3):
            write({"jsonrpc": "2.0", "method": "notifications/progress",
                   "params": {"progressToken": token, "progress": done, "total": 3, "message": "step %d" % done}})
    if mode == "change":
        write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    if mode == "asks":
        pending = id
        for number, method in enumerate(("ping", "roots/list", "sampling/createMessage", "elicitation/create", "no/such")):
            write({"jsonrpc": "2.0", "id": "q%d" % number, "method": method, "params": {}})
        return
    if mode == "person" and may_ask:
        return ask_person(id, params["arguments"])
    answer(id, call(params))


def take(message):
    global may_ask
    id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method is None and mode == "person":
        return take_answer(message)
    if method is None:
        told.append(message["result"] if "result" in message else message["error"]["code"])
        if len(told) == 5:
            answer(pending, {"content": [{"type": "text", "text": json.dumps(told)}]})
        return
    if mode == "hang":
        sys.stderr.write(method + " " + json.dumps(params) + "\n")
        sys.stderr.flush()
    if id is None or (method == "server/discover" and mode == "mute") or (method == "initialize" and mode == "never"):
        return
    if mode == "flood":
        os.write(2, b"x" * 200_000 + b"\n")
    if method == "server/discover" and mode == "exit" or method == "initialize" and probed:
        sys.exit("expected initialize")
    if method == "server/discover" and mode == "late":
        return probed.append(id)
    meta = params.get("_meta", {})
    if modern and mode != "modernbad" and (method == "initialize" or "io.modelcontextprotocol/protocolVersion" not in meta):
        return error(id, -32602 if method != "initialize" else -32601, "modern only")
    if mode == "modernbad":
        return error(id, -32022, "unsupported", data={"supported": ["2027-01-01"], "requested": "2026-07-28"})
    if method == "server/discover" and modern:
        answer(id, discovered())
    elif method == "initialize":
        may_ask = "elicitation" in params.get("capabilities", {})
        answer(id, initialized(params))
    elif method == "tools/list":
        answer(id, tools(params))
        if mode == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            sys.stderr.write("deaf: %d\n" % os.getpid())
            sys.stderr.flush()
            while True:
                time.sleep(1000)
    elif method == "tools/call":
        take_call(id, params)
    else:
        error(id, -32601, "Method not found")


def main():
    if mode == "crash":
        sys.stderr.write("fatal: config missing\n")
        sys.exit(3)
    if mode == "banner":
        print("My Server v1.0 starting...\n", flush=True)
    if mode.startswith("slow"):
        time.sleep(float(mode[4:]))
    for line in sys.stdin:
        if line.strip():
            take(json.loads(line))


if __name__ == "__main__":
    main()
