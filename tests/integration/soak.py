"""soak.py [MINUTES]: four innocent clients and a hostile one on one Cordon over HTTP, every attack in turn, for so long.

The innocents work alone for a fifth of the time, then beside the hostile client. Printed: how long their calls took in both, and Cordon's
memory. It fails where an innocent lost a call, a session or its variable, where a turn of the loop was too long, or where Cordon grew.
"""
import json
import multiprocessing
import os
import pathlib
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
            try:
                outcome = client.post(LARGE_BODY).status if name == "large body" else client.run(getattr(test_bulkhead, name)).status
            except Exception as failure:
                outcome = type(failure).__name__
            told.put((name, outcome))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000 if values else float("nan")


def rows(calls, begin):
    alone = [seconds for began, seconds, _ in calls if began < begin - 1]
    beside = [seconds for began, seconds, _ in calls if began > begin + 1]
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        first, second = percentile(alone, share), percentile(beside, share)
        yield "%s of %d calls alone %.1f ms, of %d beside it %.1f ms: %.1f times" % (name, len(alone), first, len(beside), second, second / first)


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
    for row in rows(calls[1], calls[0]):
        print(row)
    print("attacks: " + ", ".join("%s %s" % each for each in sorted({(name, "%d x" % sum(one[0] == name for one in attacks)) for name, _ in attacks})))
    print("memory of Cordon under attack: at most %d MiB in the first half, %d MiB in the second; %d MiB at the peak" % tuple(each >> 20 for each in memory))
    problems = ["a call went wrong: " + each for each in wrong[:10]] + long_turns.splitlines()[:10]
    if memory[2] > CEILING:
        problems.append("its memory went over %d MiB" % (CEILING >> 20))
    if memory[1] > 1.3 * memory[0] + (32 << 20):
        problems.append("its memory grew")
    if len(attacks) < min(len(ATTACKS), seconds / 60):
        problems.append("the hostile client hardly attacked")
    print("\n".join(problems) or "no innocent client lost anything")
    return 1 if problems else 0


def soak(cordon, seconds):
    """((when the attacks began, all calls), all attacks, (most memory in the first half of the attacks, in the second, at all))."""
    place, calls, attacks = Place(cordon), multiprocessing.Queue(), multiprocessing.Queue()
    begin, until = time.time() + seconds / 5, time.time() + seconds
    pid, half, most = cordon.process.pid, (begin + until) / 2, [0, 0]
    clients = [multiprocessing.Process(target=innocent, args=(i + 1, place, until, calls)) for i in range(INNOCENTS)]
    clients.append(multiprocessing.Process(target=hostile, args=(place, begin, until, attacks)))
    for client in clients:
        client.start()
    found, attacked = [], []
    while any(client.is_alive() for client in clients):
        found += drain(calls)  # a full queue would hold its writer
        attacked += drain(attacks)
        most[time.time() > half] = max(most[time.time() > half], resident(pid, "VmRSS"))
        time.sleep(0.2)
    codes = [client.exitcode for client in clients]
    assert not any(codes), codes
    return (begin, found + drain(calls)), attacked + drain(attacks), (*most, resident(pid))


if __name__ == "__main__":
    sys.exit(main())
