"""Two builds of Cordon side by side: each sample of one is followed by one of the other, so that what the machine does meets both."""
import contextlib
import statistics
import time

from cordon_client import Cordon, Engine, until

import programs
from bench import MIB, nothing, percentile, timed_run

NESTED = """
import asyncio, time
took = []
await mcp_nothing.t0()
for _ in range(%d):
    begin = time.perf_counter()
    await asyncio.gather(*(mcp_nothing.t0() for _ in range(%d)))
    took.append(time.perf_counter() - begin)
print(sorted(took)[len(took) // 2])
"""


class Pair:
    """One of each build, with the same flags and servers."""

    def __init__(self, binaries, *flags, servers=None):
        self.engine = Engine()
        self.flags = flags
        self.both = [Cordon(*flags, servers=servers, binary=binary) for binary in binaries]

    def close(self):
        for cordon in self.both:
            cordon.close()

    def settled(self, cordon, warm):
        until(lambda: len(cordon.containers(self.engine)) == warm, 60)
        time.sleep(0.2)

    def samples(self, rounds, action, warm=None):
        found = [], []
        for cordon in self.both:
            action(cordon)  # not counted: what is found out once
        for number in range(rounds):
            for index in ((0, 1), (1, 0))[number % 2]:
                if warm is not None:
                    self.settled(self.both[index], warm)
                found[index].append(action(self.both[index]))
        return found


def first_call(binary):
    with Cordon(binary=binary, env={"CORDON_PREWARM": "1"}) as cordon:
        time.sleep(1)
        return timed_run(cordon)


def measures(binaries, rounds, image):
    """(name, (samples of this build, samples of the other)), one after the other."""
    few = max(3, rounds // 5)
    with contextlib.closing(Pair(binaries)) as pair:
        yield "print(1), warm", pair.samples(rounds, timed_run, 1)
        yield "print(1), in a session", pair.samples(4 * rounds, lambda cordon: timed_run(cordon, session="s"))
        four = lambda cordon: timed_run(cordon, "import asyncio\nasync def f(): return 1\nprint(await f())")
        yield "a program that awaits", pair.samples(rounds, four, 2)
        big = "#" * (5 * MIB) + "\nprint(1)"
        yield "5 MiB of code", pair.samples(few, lambda cordon: timed_run(cordon, big))
    with contextlib.closing(Pair(binaries, "--pool", "0")) as pair:
        yield "print(1), cold (--pool 0)", pair.samples(rounds, timed_run, 0)
    with contextlib.closing(Pair(binaries, servers={"nothing": nothing(1, 20 * MIB)})) as pair:
        inside = lambda code: lambda cordon: float(cordon.run(code, timeout=60).text)
        yield "a nested call, many in a row", pair.samples(few, inside(NESTED % (300, 1)))
        yield "100 nested calls in flight", pair.samples(few, inside(NESTED % (5, 100)))
        large = "r = await mcp_nothing.big()\nprint(len(str(r)) >= %d)" % (20 * MIB)
        yield "a tool result of 20 MiB", pair.samples(few, lambda cordon: timed_run(cordon, large, "True\n", timeout=60))
    yield "the first call, a second after initialize", tuple(zip(*[[first_call(binary) for binary in binaries] for _ in range(few)]))
    if image:
        with contextlib.closing(Pair(binaries, "--image", image)) as pair:
            for name, code in programs.HEAVY:
                def fresh(cordon):
                    time.sleep(2)
                    return timed_run(cordon, code, None)
                yield name + ", fresh and warm", pair.samples(few, fresh)


def compare(this, other, rounds, image=""):
    print("| ms, p50 (p99) | this build | the other | this is |\n|---|---|---|---|", flush=True)
    for name, found in measures((this, other), rounds, image):
        shown = ["%.2f (%.2f)" % (statistics.median(each) * 1000, percentile(each, 0.99) * 1000) for each in found]
        print("| %s | %s | %s | %.2f × |" % (name, *shown, statistics.median(found[0]) / statistics.median(found[1])), flush=True)
    return 0

