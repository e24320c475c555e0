#!/usr/bin/env python3
"""Plays golden conversations with a real cordon and a real engine: run.py [--update] CORDON [FILE]...

The form of a conversation is in README.md beside this. --update writes what the server said into the files.
"""
import difflib
import json
import os
import pathlib
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
import zlib

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 180  # seconds for one answer; for a hang, not for a measure
WIDE = 120

# What differs from run to run, and is left out where it is 0.
VARYING_MEMBERS = {"durationMs", "cpuMs", "peakMemoryBytes"}


def settle(value):
    """A message without what varies, and long texts cut: their length and checksum stand for the rest."""
    if isinstance(value, dict):
        return {key: settle(each) for key, each in value.items() if key not in VARYING_MEMBERS}
    if isinstance(value, list):
        return [settle(each) for each in value]
    if isinstance(value, str):
        if len(value) > 300:
            value = "%s… <%d characters, crc %08x>" % (value[:160], len(value), zlib.crc32(value.encode()))
    return value


def laid_out(value, taken=2, depth=1):
    """JSON on one line where it fits, else a member a line. `taken`: of its line by what stands before it."""
    flat = json.dumps(value, ensure_ascii=False)
    if taken + len(flat) <= WIDE or not isinstance(value, (dict, list)) or not value:
        return flat
    pad = "  " * depth
    if isinstance(value, dict):
        lines = [pad + json.dumps(key) + ": " + laid_out(each, 2 * depth + len(key) + 6, depth + 1) for key, each in value.items()]
    else:
        lines = [pad + laid_out(each, 2 * depth + 2, depth + 1) for each in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return "%s\n%s\n%s%s" % (ends[0], ",\n".join(lines), "  " * (depth - 1), ends[1])


def server_block(line):
    message = json.loads(line)  # what is not JSON has no business on stdout, and ends the test here
    if isinstance(message, list):  # a batch is answered in any order
        message.sort(key=lambda each: str(each.get("id", "")))
    text = laid_out(settle(message))
    return "< " + text.replace("\n", "\n  ") + "\n"


class Block:
    """Some lines of a conversation that belong together: kind is their first character."""

    def __init__(self, line):
        self.kind = line[0] if line[:1] in ("#", "$", ">", "<", "~") else ""
        self.lines = [line]

    def text(self):
        return "\n".join(self.lines) + "\n"

    def body(self):
        return "\n".join(line[2:] for line in self.lines)


def read(text):
    blocks = []
    for line in text.splitlines():
        if blocks and blocks[-1].kind in ("<", ">") and line.startswith("  "):
            blocks[-1].lines.append(line)
        else:
            blocks.append(Block(line))
    return blocks


class Server:
    """A cordon with an empty home; `$` lines of the conversation say with which flags and servers."""

    def __init__(self, cordon, settings):
        self.home = tempfile.TemporaryDirectory(prefix="cordon-golden-")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MCP_SERVERS"))}
        environment.update(HOME=self.home.name, MCP_BRIDGE_STATE_DIR=self.home.name + "/state")
        flags = []
        for line in settings:
            if line.startswith("cordon serve"):
                flags = shlex.split(line)[2:]
            elif line.startswith("servers "):
                text = line[len("servers "):].replace("FAKES", str(HERE.parent / "fakes"))
                pathlib.Path(self.home.name, "MCPs").mkdir()
                pathlib.Path(self.home.name, "MCPs", "golden.json").write_text(json.dumps({"mcpServers": json.loads(text)}))
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen([cordon, "serve", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr,
                                        env=environment)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        self.lines.put(None)

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def next_line(self):
        """What it says next; None when it has ended."""
        try:
            return self.lines.get(timeout=LIMIT)
        except queue.Empty:
            self.process.kill()
            return None

    def end(self):
        """Ends its input; what it still said, and its exit status."""
        self.process.stdin.close()
        rest = []
        while (line := self.next_line()) is not None:
            rest.append(line)
        status = self.process.wait(LIMIT)
        self.process.stdout.close()
        self.stderr.close()
        self.home.cleanup()
        return rest, status


def expects_answer(sent):
    """True where a message of the client's is one that is answered: a request, a batch with one, or no message at all."""
    try:
        message = json.loads(sent)
    except ValueError:
        return True
    parts = message if isinstance(message, list) else [message]
    return not parts or any(not isinstance(part, dict) or "id" in part or "method" not in part for part in parts)


def is_notification(line):
    message = json.loads(line)
    return isinstance(message, dict) and "method" in message


def is_beat(line):
    """True for the sign of life that a client gets every five seconds: only a slow machine gives one here."""
    return is_notification(line) and json.loads(line)["method"] == "notifications/progress" and "total" not in json.loads(line)["params"]


def play(cordon, text):
    """The conversation as it really went, in the same form."""
    blocks = read(text)
    server = Server(cordon, [block.body() for block in blocks if block.kind == "$"])
    went = ""
    for number, block in enumerate(blocks):
        if block.kind == "<" or block.text().startswith("~ ended"):
            continue
        went += block.text()
        following = blocks[number + 1].text() if number + 1 < len(blocks) else ""
        if block.kind != ">":
            continue
        try:
            sent = json.dumps(json.loads(block.body()))  # one line, however it is laid out here
        except ValueError:
            sent = block.body()
        server.send(sent)
        while expects_answer(sent) and not following.startswith("~ not answered"):
            line = server.next_line()
            if line is None:
                went += "< (nothing: cordon has ended, or is silent)\n"
                break
            if is_beat(line):
                continue
            went += server_block(line)
            if not is_notification(line):
                break
    rest, status = server.end()
    for line in rest:
        went += server_block(line)
    return went + "~ ended: the client closed stdin, cordon's exit status is %d\n" % status


def main(arguments):
    update = "--update" in arguments
    cordon, *files = [each for each in arguments if each != "--update"]
    failed = 0
    for file in [pathlib.Path(each) for each in files] or sorted(HERE.glob("20*.txt")):
        text = file.read_text()
        went = play(cordon, text)
        if went == text:
            print("ok   %s" % file.name)
        elif update:
            file.write_text(went)
            print("new  %s" % file.name)
        else:
            failed += 1
            print("DIFFERS  %s" % file.name)
            print("\n".join(difflib.unified_diff(text.splitlines(), went.splitlines(), "as agreed", "as it went", lineterm="", n=4)))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
