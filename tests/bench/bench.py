#!/usr/bin/env python3
"""bench.py [--quick] [--json] [--rounds N]: Cordon against the floors of its engine, in one run. README.md beside this file says how to read it."""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
sys.path.insert(0, str(HERE))
import cordon_client  # noqa: E402
from cordon_client import Cordon, Engine, until  # noqa: E402
import programs  # noqa: E402
from floors import Floors, LABEL, Recorder  # noqa: E402

MIB = 1 << 20
REST_OF_A_ROUND = 0.3  # seconds: what conmon and the engine do after a container's end is over


def nothing(tools=1, size=0):
    return {"command": sys.executable, "args": [str(HERE / "nothing.py"), str(tools), str(size)]}


def lives(pid):
    try:
        return pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def percentile(samples, share):
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * share))]


class Table:
    def __init__(self):
        self.rows = []

    def times(self, section, name, seconds, note=""):
        """Samples of a duration: a row of milliseconds."""
        if not seconds:
            return self.say(section, name, None, "ms", note or "not measured")
        self.rows.append({"section": section, "name": name, "unit": "ms", "p50": statistics.median(seconds) * 1000, "p99": percentile(seconds, 0.99) * 1000,
                          "samples": len(seconds), "note": note})

    def say(self, section, name, value, unit, note=""):
        self.rows.append({"section": section, "name": name, "unit": unit, "p50": value, "p99": None, "samples": 1, "note": note})

    def p50(self, name):
        return next((row["p50"] for row in self.rows if row["name"] == name), None)

    def p99(self, name):
        return next((row["p99"] for row in self.rows if row["name"] == name), None)

    def text(self):
        number = lambda value: "" if value is None else ("%.2f" if value < 10 else "%.1f" if value < 1000 else "%.0f") % value
        lines, last = [], None
        for row in self.rows:
            if row["section"] != last:
                last = row["section"]
                lines += ["", "| %s | unit | p50 | p99 | samples | |" % last, "|---|---|---|---|---|---|"]
            lines.append("| %s | %s | %s | %s | %s | %s |" % (row["name"], row["unit"], number(row["p50"]), number(row["p99"]), row["samples"], row["note"]))
        return "\n".join(lines).strip()


def timed_run(cordon, code="print(1)", text="1\n", **arguments):
    begin = time.perf_counter()
    result = cordon.run(code, **arguments)
    took = time.perf_counter() - begin
    if text is not None and result.text != text:
        raise RuntimeError("a call gave %r" % result)
    return took


def memory(cordon, field="VmRSS"):
    status = pathlib.Path("/proc", str(cordon.process.pid), "status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(field + ":")).split()[1]) * 1024


def peak_of(cordon, action):
    """How much the peak of resident memory during an action lies above what it was before it."""
    pathlib.Path("/proc", str(cordon.process.pid), "clear_refs").write_text("5")  # VmHWM starts anew
    before = memory(cordon)
    action()
    return memory(cordon, "VmHWM") - before


class Bench:
    def __init__(self, options):
        self.options, self.table, self.engine = options, Table(), Engine()
        self.problems = []
        self.began = time.monotonic()

    def time_left(self):
        """False once the bench has had its time: sections begin no further samples then."""
        return time.monotonic() - self.began < self.options.seconds

    @contextlib.contextmanager
    def section(self, name):
        """One that fails is said in the table, and the others go on."""
        begin = time.monotonic()
        print("bench: %s …" % name, file=sys.stderr, flush=True)
        try:
            yield
        except Exception as e:
            self.problems.append("%s: %s: %s" % (name, type(e).__name__, str(e)[:400]))
            traceback.print_exc(file=sys.stderr)
            print("bench: " + self.problems[-1], file=sys.stderr, flush=True)
        print("bench: %s took %.0f s" % (name, time.monotonic() - begin), file=sys.stderr, flush=True)

    def in_time(self, count):
        """Whether one more step of a growth may begin; says so where not."""
        if not self.time_left():
            self.problems.append("growth: the step of %d was not measured, the time of %d s was over" % (count, self.options.seconds))
        return self.time_left()

    def settled(self, cordon, warm):
        """Waits until exactly so many containers of this Cordon are there; removed ones are gone, too."""
        until(lambda: len(cordon.containers(self.engine)) == warm, 60)
        time.sleep(REST_OF_A_ROUND)

    def recorded_create(self):
        with tempfile.TemporaryDirectory(prefix="cordon-bench-") as folder:
            recorder = Recorder(self.engine.path, folder)
            with Cordon("--pool", "0", env={"MCP_BRIDGE_RUNTIME_SOCKET": recorder.url}) as cordon:
                timed_run(cordon)
            recorder.close()
        return recorder.create

    # ---- one call ----

    def calls(self):
        floors, samples, line = Floors(self.engine.path, self.recorded_create()), {}, None
        waiting, stream = floors.running()
        number = floors.container_id(waiting)
        line = floors.command_line()
        keep = lambda name, value: samples.setdefault(name, []).append(value)
        try:
            with Cordon() as warm, Cordon("--pool", "0") as cold:
                timed_run(warm), timed_run(cold)
                for each in range(self.options.rounds):
                    if time.monotonic() - self.began > self.options.seconds / 3:
                        break  # the samples so far are many enough; the other sections want theirs
                    self.settled(warm, 1)
                    keep("warm", timed_run(warm))
                    self.settled(cold, 0)
                    self.settled(warm, 1)
                    keep("cold", timed_run(cold))
                    self.settled(cold, 0)
                    shown, removed = floors.rest_steps()
                    keep("rest", removed), keep("rest shown", shown)
                    time.sleep(REST_OF_A_ROUND)
                    if line:
                        keep("podman run", floors.podman_run(line))
                        time.sleep(REST_OF_A_ROUND)
                    if each < 15:
                        keep("exec", floors.exec(waiting))
                        time.sleep(REST_OF_A_ROUND)
                    keep("attach, rested", floors.round_trip(stream))  # as cold as Cordon's own: caches and sleeping CPUs
                    for _ in range(10):
                        keep("attach", floors.round_trip(stream))
                for _ in range(self.options.rounds):
                    keep("back to back", timed_run(warm))
                timed_run(warm, session="bench")
                for _ in range(4 * self.options.rounds):
                    keep("in a session", timed_run(warm, session="bench"))
        finally:
            floors.close(number)
            stream.close()
        row = lambda name, key, note="": self.table.times("one call of print(1)", name, samples.get(key, []), note)
        ratio = lambda a, b: statistics.median(samples[a]) / statistics.median(samples[b])
        spread = percentile(samples["warm"], 0.99) / statistics.median(samples["warm"])
        row("Cordon, warm", "warm", "%.1f × the attach round trip after the same rest, %.1f × one of many in a row; p99 is %.1f × p50" % (
            ratio("warm", "attach, rested"), ratio("warm", "attach"), spread))
        row("Cordon, back to back, pool of 1", "back to back")
        row("Cordon, in one session, many in a row", "in a session", "%.1f × the attach round trip, many in a row" % ratio("in a session", "attach"))
        row("Cordon, cold (--pool 0)", "cold", "%.2f × the REST steps%s" % (
            ratio("cold", "rest"), ", %.2f × podman run" % ratio("cold", "podman run") if line else ""))
        row("floor: attach round trip, a waiting Python, after the same rest", "attach, rested")
        row("floor: the same, many in a row", "attach")
        row("floor: the same REST steps by a script, to their end", "rest")
        row("floor: the same, to the output alone", "rest shown", "Cordon cold is %.2f × this" % ratio("cold", "rest shown"))
        row("floor: exec into a running container", "exec")
        row("floor: podman run, same flags, same storage", "podman run", "" if line else "its service was not found")

    # ---- heavy imports ----

    def heavy_imports(self):
        """Fresh containers with what earlier runs imported, beside a session that has imported it before: the floor."""
        image = self.options.datascience
        if not image:
            return self.table.say("heavy imports", "not measured", None, "ms", "scripts/bench --datascience gives the engine an image that has them")
        with Cordon("--image", image) as cordon:
            for name, code in programs.HEAVY:
                fresh, floor = [], []
                for _ in range(3):  # what is imported is learned, and session and image get warm
                    timed_run(cordon, code, None)
                    timed_run(cordon, code, None, session="floor")
                for _ in range(self.options.rounds // 2):
                    self.settled(cordon, 2)
                    time.sleep(2)  # what the container does while it waits
                    fresh.append(timed_run(cordon, code, None))
                    floor.append(timed_run(cordon, code, None, session="floor"))
                goal = 1.5 * statistics.median(floor) + 0.006
                self.table.times("heavy imports", name + ", in a fresh, warm container", fresh, "%.1f × the floor; 1.5 × and 6 ms would be %.1f ms" % (
                    statistics.median(fresh) / statistics.median(floor), goal * 1000))
                self.table.times("heavy imports", "floor: the same in a session that has imported it", floor)

    # ---- bursts ----

    def at_once(self):
        create = self.recorded_create()
        for count in (1, 4, 16, 64):
            floors = [Floors(self.engine.path, create) for _ in range(count)]
            floor, floor_rate = self.burst(count, [each.rest_steps for each in floors])
            for each in floors:
                each.close()
            time.sleep(REST_OF_A_ROUND)
            with Cordon("--pool", "0") as cordon:
                timed_run(cordon)
                cold, rate = self.burst(count, [lambda: timed_run(cordon, limit=300)] * count)
                self.table.times("calls at once", "%d at once, cold (--pool 0)" % count, cold, "%.1f a second, %.2f × the floor's time" % (rate, floor_rate / rate))
            self.table.times("calls at once", "floor: %d at once by a script, to the end of the removal" % count, [end for _, end in floor], "%.1f a second" % floor_rate)
            if count > 16:
                continue
            with Cordon() as cordon:
                calls = [lambda: timed_run(cordon, limit=300)] * count
                for _ in range(3):  # what is asked is learned
                    self.burst(count, calls)
                    time.sleep(3)
                learned, rate = self.burst(count, calls)
            self.table.times("calls at once", "%d at once, as twice before" % count, learned, "%.1f a second" % rate)

    def burst(self, count, calls):
        """(what the calls gave, calls a second)"""
        took, begin = [], time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(count) as threads:
            for done in [threads.submit(call) for call in calls]:
                try:
                    took.append(done.result())
                except Exception as e:
                    self.problems.append("%d at once: %s" % (count, e))
        return took, len(took) / (time.perf_counter() - begin)

    # ---- nested calls ----

    def nested(self):
        code = """
import asyncio, json, time
async def one():
    begin = time.perf_counter()
    await mcp_nothing.t0()
    return time.perf_counter() - begin
await one()
alone, row, flight = [], [], []
for _ in range(30):
    await asyncio.sleep(0.02)
    alone.append(await one())
row = [await one() for _ in range(1000)]
begin = time.perf_counter()
for _ in range(5):
    flight += await asyncio.gather(*(one() for _ in range(100)))
whole = time.perf_counter() - begin
pick = lambda s: [sorted(s)[len(s) // 2], sorted(s)[int(len(s) * .99)], len(s)]
print(json.dumps([pick(alone), pick(row), pick(flight), whole / 500]))
"""
        with Cordon(servers={"nothing": nothing()}) as cordon:
            result = cordon.run(code, timeout=100)
        found = json.loads(result.text)
        for name, (p50, p99, count) in zip(("alone", "1,000 in a row", "100 in flight"), found):
            self.table.rows.append({"section": "a nested call to a do-nothing server, as the code sees it", "name": name, "unit": "ms", "p50": p50 * 1000,
                                    "p99": p99 * 1000, "samples": count, "note": "%.3f ms a call" % (found[3] * 1000) if name.startswith("100 ") else ""})

    # ---- start ----

    def start(self):
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        samples = {"initialize": [], "server/discover": []}
        for _ in range(20):
            for method, params in (("initialize", hello), ("server/discover", meta)):
                line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"
                with tempfile.TemporaryDirectory(prefix="cordon-bench-") as home:
                    environment = dict(os.environ, HOME=home, MCP_BRIDGE_STATE_DIR=home + "/state")
                    begin = time.perf_counter()
                    process = subprocess.Popen([cordon_client.CORDON, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
                    process.stdin.write(line)
                    process.stdin.flush()
                    answer = process.stdout.readline()
                    samples[method].append(time.perf_counter() - begin)
                    process.communicate()
                if b'"result"' not in answer:
                    raise RuntimeError(repr(answer[:300]))
        for method, found in samples.items():
            self.table.times("from the start of the process", "to the answer of " + method, found)
        for name, early, note in (("the first call, a second after initialize", "1", "its container was made meanwhile"),
                                  ("the first call with --prewarm 0", "0", "the engine is found, asked about itself, and a container made")):
            first = []
            for _ in range(5):
                with Cordon(env={"CORDON_PREWARM": early}) as cordon:
                    time.sleep(float(early))
                    first.append(timed_run(cordon))
            self.table.times("from the start of the process", name, first, note)

    # ---- the end ----

    def ending(self):
        """From a signal to Cordon until no process of its containers lives: at most 100 ms is promised, for clients kill after that."""
        took = []
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) * (2 if self.options.quick else 6):
            with Cordon() as cordon:
                timed_run(cordon)
                threading.Thread(target=self.endless, args=(cordon,), daemon=True).start()
                time.sleep(1)
                pids = [pid for name in cordon.containers(self.engine) for pid in self.engine.processes(name)]
                begin = time.perf_counter()
                cordon.process.send_signal(number)
                while any(map(lives, pids)):
                    time.sleep(0.0005)
                took.append(time.perf_counter() - begin)
        self.table.times("the end", "from a signal until no process of a container lives", took, "the slowest took %.0f ms" % (max(took) * 1000))

    @staticmethod
    def endless(cordon):
        with contextlib.suppress(Exception):  # its end is what is wanted
            cordon.run("while True: pass", timeout=60)

    # ---- memory ----

    def memory(self):
        say = lambda name, value, note="": self.table.say("memory", name, value / MIB, "MiB", note)
        with Cordon("--pool", "4") as cordon:
            say("Cordon, idle", memory(cordon))
            timed_run(cordon)
            self.settled(cordon, 4)
            say("Cordon, pool of 4", memory(cordon))
            name = cordon.containers(self.engine)[0]
            share = lambda pid: int(next(line for line in pathlib.Path("/proc", str(pid), "smaps_rollup").read_text().splitlines() if line.startswith("Pss:")).split()[1]) * 1024
            try:
                pids = self.engine.processes(name)
                monitor = int(pathlib.Path("/proc", str(pids[0]), "stat").read_text().rsplit(")", 1)[1].split()[1])
                say("one warm container", sum(map(share, pids)), "proportional, %d processes; its monitor has %.1f MiB more" % (len(pids), share(monitor) / MIB))
            except OSError as e:
                self.table.say("memory", "one warm container", None, "MiB", "may not be read: %s" % e)
            begin, done = time.monotonic(), 0
            with concurrent.futures.ThreadPoolExecutor(4) as threads:
                while done < self.options.calls and time.monotonic() - begin < self.options.calls_seconds:
                    done += len(list(threads.map(lambda _: timed_run(cordon), range(20))))
            say("Cordon, after %d calls" % done, memory(cordon), "" if done >= 1000 else "fewer than 1,000: bounded by time")
        with Cordon() as cordon:
            timed_run(cordon)
            code = "import os\nblock = (b'x' * 1023 + b'\\n') * 64\nfor _ in range(%d): os.write(1, block)" % (self.options.printed // 65536)
            extra = peak_of(cordon, lambda: timed_run(cordon, code, None, timeout=110))
            say("more at its peak, while %d MiB are printed" % (self.options.printed // MIB), extra)

    # ---- large things ----

    def large(self):
        say = lambda name, value, unit, note="": self.table.say("large", name, value, unit, note)
        code = "import os\nblock = (b'x' * 1023 + b'\\n') * 64\nfor _ in range(1600): os.write(1, block)"
        for flags, name in (((), "100 MiB printed, 30,000 characters kept"), (("--max-output", "4000000"), "100 MiB printed, 4,000,000 characters kept")):
            with Cordon(*flags) as cordon:
                timed_run(cordon)
                took = timed_run(cordon, code, None, timeout=110)
                say(name, took * 1000, "ms", "%.0f MiB a second" % (100 / took))
        with Cordon(servers={"nothing": nothing(1, 20 * MIB)}) as cordon:
            timed_run(cordon, "await mcp_nothing.t0()", None)
            box = []
            big = "#" * (5 * MIB) + "\nprint(1)"
            extra = peak_of(cordon, lambda: box.append(timed_run(cordon, big)))
            say("5 MiB of code", box[0] * 1000, "ms", "Cordon's memory grew by %.1f bytes a byte at its peak" % (extra / (5 * MIB)))
            ask = "r = await mcp_nothing.big()\nprint(len(str(r)) >= %d)" % (20 * MIB)
            extra = peak_of(cordon, lambda: box.append(timed_run(cordon, ask, "True\n", timeout=60)))
            say("a tool result of 20 MiB", box[1] * 1000, "ms", "Cordon's memory grew by %.1f bytes a byte at its peak" % (extra / (20 * MIB)))

    # ---- size and growth ----

    def tokens(self):
        for count in (0, 1000):
            with Cordon(servers={"nothing": nothing(count)} if count else None) as cordon:
                if count:
                    timed_run(cordon, "await mcp_nothing.t0()", None)
                text = json.dumps(cordon.request("tools/list")["tools"], ensure_ascii=False, separators=(",", ":"))
            self.table.say("size", "tool definition, %s upstream tools" % format(count, ","), cordon_client.tokens(text), "tokens", "o200k; %d bytes" % len(text))

    SEARCH = """
import time
import traceback
from mcp import runtime
took = []
for _ in range(%d):
    begin = time.perf_counter()
    await runtime.search_tool_docs("thing number 3 with a path", limit=5)
    took.append(time.perf_counter() - begin)
print([took[0], sorted(took[1:])[len(took) // 2 - 1]])
"""

    def growth(self):
        row = lambda name, seconds, note="": self.table.times("growth", name, [seconds], note)
        for count in filter(self.in_time, (10, 100, 1000, 10000)):
            with Cordon(servers={"nothing": nothing(count)}) as cordon:
                first, next_one = json.loads(cordon.run(self.SEARCH % 11, timeout=100).text)
            row("search over %s tools" % format(count, ","), next_one, "with the start of their server and the index: %.0f ms" % (first * 1000))
        for count in filter(self.in_time, (1, 10, 100)):
            with Cordon(servers={"n%d" % i: nothing(10) for i in range(count)}) as cordon:
                answered = memory(cordon)
                first, next_one = json.loads(cordon.run(self.SEARCH % 6, timeout=110).text)
                row("first search with %d servers to start" % count, first, "then %.1f ms; Cordon has %.1f MiB more" % (next_one * 1000, (memory(cordon) - answered) / MIB))
        count = self.options.sessions if self.time_left() else 1
        with Cordon("--max-containers", "64", "--pool", "0") as cordon:
            opened, used = [timed_run(cordon, session="s%d" % i) for i in range(count)], []
            grown = memory(cordon)
            for _ in range(3):
                used += [timed_run(cordon, session="s%d" % i) for i in range(count)]
            self.table.times("growth", "opening %d sessions, each" % count, opened, "Cordon has %.1f MiB then" % (grown / MIB))
            self.table.times("growth", "a call in one of %d open sessions" % count, used)

    def run(self):
        for name, part in (("one call", self.calls), ("heavy imports", self.heavy_imports),
                           ("calls at once", self.at_once), ("nested calls", self.nested), ("start", self.start), ("the end", self.ending),
                           ("memory", self.memory), ("large things", self.large), ("tokens", self.tokens), ("growth", self.growth)):
            if self.options.only and name not in self.options.only:
                continue
            if not self.time_left():
                self.problems.append("%s: not measured, the time of %d s was over" % (name, self.options.seconds))
                continue
            with self.section(name):
                part()
        self.left()

    def left(self):
        for name in self.engine.containers(LABEL + "=1"):
            if name.startswith("bench-%d-" % os.getpid()):
                self.engine.remove(name)
                self.problems.append("left behind, now removed: " + name)

    def machine(self):
        version = json.loads(self.engine.request("GET", "/version")[2])
        model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
        cordon = subprocess.run([cordon_client.CORDON, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()
        return {"cpus": os.cpu_count(), "cpu": model, "kernel": platform.release(), "engine": ("podman " if self.engine.podman else "Docker ") + version["Version"],
                "image": os.environ.get("MCP_BRIDGE_IMAGE", "the default"), "cordon": cordon, "load": os.getloadavg()}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="fewer samples, in about three minutes")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--datascience", metavar="IMAGE", default="", help="an image with numpy, pandas and matplotlib, for heavy imports")
    parser.add_argument("--compare", metavar="BUILD", help="another build's cordon, measured sample by sample in turn with this one's, and nothing else")
    parser.add_argument("--only", action="append", help="one section alone")
    found = parser.parse_args()
    found.rounds = found.rounds or (12 if found.quick else 50)
    found.calls, found.calls_seconds = (100, 20) if found.quick else (1000, 200)
    found.printed = (256 if found.quick else 1024) * MIB
    found.sessions = 10 if found.quick else 50
    found.seconds = 170 if found.quick else 540  # after which nothing new is begun
    return found


def main():
    chosen = options()
    if chosen.compare:
        from compare import compare
        return compare(cordon_client.CORDON, chosen.compare, chosen.rounds, chosen.datascience)
    bench = Bench(chosen)
    before = bench.machine()
    bench.run()
    after = os.getloadavg()
    if chosen.json:
        print(json.dumps({"machine": before, "load_after": after, "rows": bench.table.rows, "problems": bench.problems}, indent=1))
    else:
        print("%(cpus)d × %(cpu)s, Linux %(kernel)s; %(engine)s, %(image)s; %(cordon)s" % before)
        print("load of the machine: %.1f before, %.1f after%s\n" % (before["load"][0], after[0], " (BUSY: figures are too high)" if before["load"][0] > os.cpu_count() else ""))
        print(bench.table.text())
        for problem in bench.problems:
            print("PROBLEM: " + problem)
    return 1 if bench.problems else 0


if __name__ == "__main__":
    sys.exit(main())
