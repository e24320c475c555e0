#!/usr/bin/env python3
"""An upstream MCP server that does not live long: mortal.py MODE FILE. It takes no byte of its input but those of the line that it reads,
and writes a line to FILE for each call that it has read. Before it lists its tools it pings, with null for params, and ends where that is
not answered.

one     answers one call, and ends at once
reader  reads a call, and dies without an answer
full    ends before it reads the first call, when its pipe is full; its next life answers
never   answers no call: ends as soon as one waits in its pipe, unread
"""
import fcntl
import json
import os
import struct
import sys
import termios
import time

mode, arrivals = sys.argv[1:]


def line():
    text = b""
    while not text.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            os._exit(0)
        text += byte
    return text


def write(number, result):
    os.write(1, json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")


def arrived(name):
    with open(arrivals, "a") as out:
        out.write(name + "\n")


def unread():
    return struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"\0\0\0\0"))[0]


def wait_for(size):
    while unread() < size:
        time.sleep(0.005)


first_life = not os.path.exists(arrivals)
if first_life:
    arrived("born")
while True:
    message = json.loads(line())
    if message["method"] == "initialize":
        write(message["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "mortal", "version": "1"}})
    elif message["method"] == "tools/list":
        os.write(1, b'{"jsonrpc": "2.0", "id": "p", "method": "ping", "params": null}\n')
        if json.loads(line()) != {"jsonrpc": "2.0", "id": "p", "result": {}}:
            os._exit(5)
        write(message["id"], {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})
        if mode == "never" or (mode == "full" and first_life):
            wait_for(1 if mode == "never" else 65000)
            print("it goes before it reads", file=sys.stderr, flush=True)
            os._exit(4)
    elif message["method"] == "tools/call":
        arrived("call %s" % message["params"]["arguments"].get("n"))
        if mode == "reader":
            print("it could not go on", file=sys.stderr, flush=True)
            os._exit(3)
        write(message["id"], {"content": [{"type": "text", "text": str(message["params"]["arguments"].get("n"))}]})
        if mode == "one":
            os._exit(0)
    elif "id" in message:
        os.write(1, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}}).encode() + b"\n")
