"""soak.py [MINUTES]: four innocent clients and a hostile one on one Cordon over HTTP, every attack in turn, for so long.

For a fifth of the time the innocents work alone. For another fifth they work beside bare containers of the engine's, which Cordon has
no part in: how late their calls are then is what the engine and the kernel make of one greedy neighbour, the floor. After that they
work beside the hostile client. Printed: how long their calls took in all three, and Cordon's memory. It fails where an innocent lost a call,
a session or its variable, where a turn of the loop was too long, or where Cordon grew.
"""
import json
import multiprocessing
import os
import pathlib
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_bulkhead  # noqa: E402
from cordon_client import Engine  # noqa: E402
from cordon_http import HttpCordon, Legacy  # noqa: E402
from innocent import resident  # noqa: E402

INNOCENTS = 4
CEILING = 512 << 20  # --max-host-memory: 256 MiB, and as much for large messages of tools
ATTACKS = ("SAVED_STORM", "DEAF_STORM", "LARGE_CALLS", "BEYOND_BOUND", "MANY_SMALL", "LARGE_DISPLAYS")
LARGE_BODY = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python","arguments":{"code":7,"x":[%s1]}}}' % (b"[]," * (5 << 20))


class Place:
    """What a client in another process needs to know of Cordon."""

    def __init__(self, cordon):
        self.port, self.token, self.tls = cordon.port, cordon.token, False


def innocent(number, place, until, told):
    """Calls in a session, again and again; tells (when it began, seconds, what was wrong) of each."""
    client = Legacy(place, token=place.token)
    assert client.run("x = %d" % number, session="mine").status == "success"
    while time.time() < until:
        began = time.time()
        try:
            result = client.run("print(x)", session="mine")
            wrong = "" if result.text == "%d\n" % number else "%s: %s" % (result.status, result.text[:200])
        except Exception as failure:  # a lost call is what we look for
            wrong = repr(failure)
        told.put((began, time.time() - began, wrong))
        time.sleep(0.1)


def hostile(place, begin, until, told):
    """All attacks in turn; whatever becomes of them."""
    time.sleep(max(0, begin - time.time()))
    client = Legacy(place, token=place.token)
    while time.time() < until:
        for name in (*ATTACKS, "large body"):
            if time.time() > until:
                return
            began = time.time()
            try:
                outcome = client.post(LARGE_BODY).status if name == "large body" else client.run(getattr(test_bulkhead, name)).status
            except Exception as failure:
                outcome = type(failure).__name__
            told.put((name, outcome, began, time.time()))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000 if values else float("nan")


def neighbour(until):
    """Bare containers of the engine's, none of them Cordon's, one after the other: each burns every CPU and pours 300 MiB out, as the hostile
    client's do. What comes is read and thrown away."""
    engine = Engine()
    code = ("import os, sys\nfor _ in range(os.cpu_count() - 1):\n    if not os.fork():\n        while True: pass\n"
            "for _ in range(300):\n    sys.stdout.buffer.write(b'x' * (1 << 20))")
    limits = [{"Name": name, "Soft": 1024, "Hard": 1024} for name in ("nofile", "nproc")]
    host = {"NetworkMode": "none", "Ulimits": limits, "LogConfig": {"Type": "none"}}
    body = json.dumps({"Image": os.environ["MCP_BRIDGE_IMAGE"], "Cmd": ["python3", "-c", code], "AttachStdout": True, "HostConfig": host})
    number = 0
    while time.time() < until:
        number += 1
        name = "soak-neighbour-%d-%d" % (os.getpid(), number)
        status, _, answer = engine.request("POST", "/containers/create?name=" + name, body)
        assert status == 201, answer
        try:
            with socket.socket(socket.AF_UNIX) as attached:
                attached.connect(engine.path)
                attached.settimeout(10)
                attached.sendall(b"POST /containers/%s/attach?stream=1&stdout=1 HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
                                 b"Content-Length: 0\r\n\r\n" % name.encode())
                assert attached.recv(4096).startswith(b"HTTP/1.1 101"), "the engine does not attach"
                assert engine.request("POST", "/containers/%s/start" % name)[0] == 204
                while time.time() < until and attached.recv(1 << 16):
                    pass
        finally:
            engine.remove(name)


def rows(calls, phases):
    """A line for each percentile; `phases`: (what the calls were beside, from when, until when)."""
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        first, parts = None, []
        for beside, begin, end in phases:
            times = [seconds for began, seconds, _ in calls if begin + 1 < began < end - 1]
            value = percentile(times, share)
            first = first or value
            parts.append("%s %.1f ms (%.1f times, %d calls)" % (beside, value, value / first, len(times)))
        yield name + ": " + ", ".join(parts)


def rows_by_attack(calls, attacks):
    for name in sorted({each[0] for each in attacks}):
        times = [(began, ended) for one, _, began, ended in attacks if one == name]
        beside = [seconds for at, seconds, _ in calls if any(began <= at <= ended for began, ended in times)]
        outcomes = ", ".join(sorted({str(each[1]) for each in attacks if each[0] == name}))
        yield "  %-15s %2d x (%s): %4d calls beside it, p50 %.1f ms, p99 %.1f ms" % (
            name, len(times), outcomes, len(beside), percentile(beside, 0.5), percentile(beside, 0.99))


def drain(queue):
    found = []
    while not queue.empty():
        found.append(queue.get())
    return found


def main():
    seconds = float(sys.argv[1] if len(sys.argv) > 1 else 10) * 60
    Engine()  # there is one
    with tempfile.TemporaryDirectory(prefix="cordon-soak-") as folder:
        home = pathlib.Path(folder, "home")
        (home / "MCPs").mkdir(parents=True)
        (home / "slow.py").write_text(test_bulkhead.SLOW_SERVER)
        servers = {"slow": {"command": sys.executable, "args": [str(home / "slow.py")]}}
        (home / "MCPs" / "servers.json").write_text(json.dumps({"mcpServers": servers}))
        turns = pathlib.Path(folder, "turns")
        with HttpCordon("--timeout", "20", "--pool", "1", "--max-containers", "8", home=str(home), env={"CORDON_TEST_TURNS": str(turns)}) as cordon:
            calls, attacks, memory = soak(cordon, seconds)
        long_turns = turns.read_text() if turns.exists() else ""
    wrong = [wrong for _, _, wrong in calls[1] if wrong]
    print("\n".join(rows(calls[1], calls[0])))
    print("\n".join(rows_by_attack(calls[1], attacks)))
    print("memory of Cordon under attack: at most %d MiB in the first half, %d MiB in the second; %d MiB at the peak" % tuple(each >> 20 for each in memory))
    problems = ["a call went wrong: " + each for each in wrong[:10]] + long_turns.splitlines()[:10]
    if memory[2] > CEILING:
        problems.append("its memory went over %d MiB" % (CEILING >> 20))
    if seconds >= 300 and memory[1] > 1.3 * memory[0] + (32 << 20):  # each half holds every attack twice
        problems.append("its memory grew")
    if len(attacks) < min(len(ATTACKS), seconds / 60):
        problems.append("the hostile client hardly attacked")
    print("\n".join(problems) or "no innocent client lost anything")
    return 1 if problems else 0


def soak(cordon, seconds):
    """((phases, all calls), all attacks, (most memory in the first half of the attacks, in the second, at all))."""
    place, calls, attacks = Place(cordon), multiprocessing.Queue(), multiprocessing.Queue()
    start = time.time()
    busy, begin, until = start + seconds / 5, start + 2 * seconds / 5, start + seconds
    phases = ("alone", start, busy), ("beside a bare neighbour", busy, begin), ("beside the hostile client", begin, until)
    pid, half, most, beside = cordon.process.pid, (begin + until) / 2, [0, 0], []
    clients = [multiprocessing.Process(target=innocent, args=(i + 1, place, until, calls)) for i in range(INNOCENTS)]
    clients.append(multiprocessing.Process(target=hostile, args=(place, begin, until, attacks)))
    for client in clients:
        client.start()
    found, attacked = [], []
    while any(client.is_alive() for client in clients):
        found += drain(calls)  # a full queue would hold its writer
        attacked += drain(attacks)
        most[time.time() > half] = max(most[time.time() > half], resident(pid, "VmRSS"))
        if time.time() > busy and not beside:
            beside.append(multiprocessing.Process(target=neighbour, args=(begin - 1,)))
            beside[0].start()
        time.sleep(0.2)
    codes = [client.exitcode for client in clients + beside]
    assert not any(codes), codes
    return (phases, found + drain(calls)), attacked + drain(attacks), (*most, resident(pid))


if __name__ == "__main__":
    sys.exit(main())
