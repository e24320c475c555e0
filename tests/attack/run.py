#!/usr/bin/env python3
"""Runs the attacks of this folder through a cordon, as an MCP client would, and judges each by its own header (README.md).

    tests/attack/run.py build/dev/cordon [--jobs N] [--patience N] [ATTACK]... [-- FLAG OF CORDON...]

One line an attack, then "N passed, N failed" and, where something could not be tried here, how many were skipped. Exit status 0 only
when none failed. After each attack that runs alone, a plain call must work; at the end no container of this cordon may be left.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import platform
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
NOT_ATTACKS = {"run.py"}
KEYS = {"expect", "expect-out", "expect-not-out", "hits-limit", "needs-limit", "timeout", "within", "alone", "runs", "arch"}
STATUSES = {"success", "error", "timeout", "cancelled", "out_of_memory", "refused"}
MOST_SECONDS = 120  # what cordon allows by default
GRACE_SECONDS = 20  # beyond its own time, for an attack that does not say `within`


class Attack:
    """One file: its code, and what its header expects."""

    def __init__(self, path, patience=1):
        self.name = path.stem
        self.code = path.read_text(encoding="utf-8")
        self.title = self.code.split('"""')[1].strip().splitlines()[0]
        self.says = {}
        for key, value in re.findall(r"^# ([a-z-]+): (.*)$", self.code.split("\nimport ")[0], re.M):
            if key not in KEYS:
                raise SystemExit("%s: no such expectation: %s" % (path.name, key))
            self.says[key] = value.strip()
        wanted = self.says["expect"].partition("status=")[2]
        self.statuses = STATUSES - {"refused"} if wanted == "any" else set(wanted.split(","))
        if not self.statuses <= STATUSES:
            raise SystemExit("%s: no such status: %s" % (path.name, wanted))
        self.timeout = int(self.says.get("timeout", "20"))
        self.within = int(self.says.get("within", self.timeout + GRACE_SECONDS)) * patience
        if "timeout" not in self.statuses:  # needs what time it needs
            self.timeout = min(self.timeout * patience, MOST_SECONDS)
        self.alone = self.says.get("alone") == "yes"
        self.runs = int(self.says.get("runs", "1"))

    def cannot_run(self, not_enforced):
        """Why it makes no sense here, or None."""
        needed = self.says.get("needs-limit")
        if needed and needed in not_enforced:
            return "needs a limit on %s, which is not in force here" % needed
        if self.says.get("arch", platform.machine()) != platform.machine():
            return "is for " + self.says["arch"]
        return None

    def complaints(self, outcome):
        """What is wrong with one outcome; empty where the attack was held."""
        found = []
        if outcome["status"] not in self.statuses:
            found.append("status %s, expected %s" % (outcome["status"], "/".join(sorted(self.statuses))))
        if outcome["seconds"] > self.within:
            found.append("took %.1f s, expected at most %d" % (outcome["seconds"], self.within))
        expected = self.says.get("expect-out", "^HELD")
        if expected != "any" and not re.search(expected, outcome["text"], re.M):
            found.append("no %r in the output" % expected)
        for pattern in filter(None, (r"^(WON|WRONG).*", self.says.get("expect-not-out"))):
            match = re.search(pattern, outcome["text"], re.M)
            if match:
                found.append("output has %r" % match.group()[:200])
        limit = self.says.get("hits-limit")
        if limit and limit not in outcome["limits"] and outcome["status"] != "out_of_memory":
            found.append("the result does not name the limit %s (it names %s)" % (limit, outcome["limits"]))
        if found and outcome["error"]:
            found.append("it said: " + outcome["error"][:300])
        return found


class Cordon:
    """A cordon on stdio, with its state in a folder of its own, so that its containers can be told from others'."""

    def __init__(self, binary, flags):
        self.state = tempfile.TemporaryDirectory(prefix="cordon-attack-")
        environment = dict(os.environ, MCP_BRIDGE_STATE_DIR=self.state.name)
        self.process = subprocess.Popen([binary, "serve", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.lock = threading.Lock()
        self.answers = {}
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "attack", "version": "1"}}, 30)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message):
        data = json.dumps(message).encode() + b"\n"
        with self.lock:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            waiting = self.answers.get(message.get("id"))
            if waiting is not None and "method" not in message:
                waiting.set_result(message)
        for waiting in list(self.answers.values()):
            if not waiting.done():
                waiting.set_exception(RuntimeError("cordon has ended"))

    def request(self, method, params, seconds):
        waiting = concurrent.futures.Future()
        with self.lock:
            self.next_id += 1
            number = self.next_id
            self.answers[number] = waiting
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            message = waiting.result(seconds)
        finally:
            del self.answers[number]
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def run(self, code, timeout):
        """One execution, as a dict of what the attacks are judged by."""
        began = time.monotonic()
        result = self.request("tools/call", {"name": "run_python", "arguments": {"code": code, "timeout": timeout}}, timeout + 120)
        facts = result.get("_meta", {}).get("cordon/result", {})
        text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        return {"status": facts.get("status", "unknown"), "error": facts.get("error", ""), "limits": facts.get("limits", []) + facts.get("claimedLimits", []),
                "not_enforced": facts.get("notEnforced", []), "text": text, "seconds": time.monotonic() - began}

    def close(self):
        """Ends it as a client does. Complaints about what it left behind."""
        found = []
        instances = [path.stem for path in pathlib.Path(self.state.name, "instances").glob("*.lock")]
        self.process.stdin.close()
        try:
            if self.process.wait(30) != 0:
                found.append("cordon ended with status %d" % self.process.returncode)
        except subprocess.TimeoutExpired:
            found.append("cordon did not end within 30 s of the end of its input")
            self.process.kill()
            self.process.wait()
        try:
            found += left_behind(instances)
        except OSError as failure:
            found.append("the engine cannot be asked what is left: %s" % failure)
        self.state.cleanup()
        return found


def left_behind(instances):
    """Complaints about containers that are still there. A guest whose host is gone ends by itself, and the engine removes it: that may take a while."""
    end = time.monotonic() + 20
    left = containers_of(instances)
    while left and time.monotonic() < end:
        time.sleep(0.5)
        left = containers_of(instances)
    if left is None:
        print("not checked: containers left behind (set MCP_BRIDGE_RUNTIME_SOCKET to a unix:// socket)")
    return ["containers left behind: " + ", ".join(left)] if left else []


def containers_of(instances):
    """Names of all containers that carry one of these instances' labels; None where the engine cannot be asked from here."""
    url = os.environ.get("MCP_BRIDGE_RUNTIME_SOCKET", "")
    if not url.startswith("unix://"):
        return None
    names = []
    for instance in instances:
        filters = urllib.parse.quote(json.dumps({"label": ["io.cordon.instance=" + instance]}))
        answer = engine_get(url[len("unix://"):], "/containers/json?all=true&filters=" + filters)
        names += [each["Names"][0] for each in answer]
    return names


def engine_get(path, target):
    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(20)
            self.sock.connect(path)

    connection = Connection("engine")
    connection.request("GET", target)
    return json.loads(connection.getresponse().read())


def run_attack(cordon, attack):
    """Complaints about all its runs; a plain call afterwards shows that nobody else was hurt."""
    found = []
    for _ in range(attack.runs):
        found += attack.complaints(cordon.run(attack.code, attack.timeout))
    if attack.alone:
        after = cordon.run("print(6 * 7)", 60)
        if after["status"] != "success" or "42" not in after["text"]:
            found.append("the call after it failed: %s %s" % (after["status"], after["text"][:200]))
    return found


class Tally:
    """Prints one line an attack and counts."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed = self.failed = self.skipped = 0

    def attack(self, cordon, attack, not_enforced):
        why_not = attack.cannot_run(not_enforced)
        if why_not:
            self.say("skipped", attack.name, why_not)
            return
        try:
            found = run_attack(cordon, attack)
        except (RuntimeError, OSError, concurrent.futures.TimeoutError) as failure:
            found = ["no result: %s: %s" % (type(failure).__name__, failure)]
        self.say("FAILED" if found else "passed", attack.name, "; ".join(found) if found else attack.title)

    def say(self, verdict, name, text):
        with self.lock:
            self.passed += verdict == "passed"
            self.failed += verdict == "FAILED"
            self.skipped += verdict == "skipped"
            print("%s  %-24s %s" % (verdict, name, text), flush=True)

    def close(self):
        skipped = ", %d skipped" % self.skipped if self.skipped else ""
        print("%d passed, %d failed%s" % (self.passed, self.failed, skipped), flush=True)
        return 1 if self.failed or not self.passed else 0


def all_attacks(names, patience=1):
    paths = sorted(path for path in HERE.glob("*.py") if path.name not in NOT_ATTACKS)
    attacks = [Attack(path, patience) for path in paths]
    unknown = set(names) - {attack.name for attack in attacks}
    if unknown:
        raise SystemExit("no such attack: " + ", ".join(sorted(unknown)))
    return [attack for attack in attacks if not names or attack.name in names]


def run_all(cordon, attacks, jobs):
    """Attacks that harm nobody run several at a time, those that exhaust something one by one afterwards."""
    tally = Tally()
    first = cordon.run("print('ready')", 60)
    if first["status"] != "success":
        cordon.close()
        raise SystemExit("a plain call does not work here: " + first["text"])
    not_enforced = first["not_enforced"]
    if not_enforced:
        print("not in force here: " + ", ".join(not_enforced), flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda attack: tally.attack(cordon, attack, not_enforced), [a for a in attacks if not a.alone]))
    for attack in [a for a in attacks if a.alone]:
        tally.attack(cordon, attack, not_enforced)
    left = cordon.close()
    tally.say("FAILED" if left else "passed", "(the end)", "; ".join(left) if left else "nothing is left behind")
    return tally.close()


def main():
    arguments, flags = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, flags = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cordon", help="the program to attack")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="names; all where none is given")
    parser.add_argument("--jobs", type=int, default=4, help="attacks at a time, of those that harm nobody (4)")
    parser.add_argument("--patience", type=int, default=1, metavar="N", help="allow N times the time, for slow hosts (1)")
    options = parser.parse_intermixed_args(arguments)
    return run_all(Cordon(options.cordon, flags), all_attacks(options.attacks, options.patience), options.jobs)


if __name__ == "__main__":
    sys.exit(main())
