#!/usr/bin/env python3
"""Executions, several at a time, each ended by a random death at a random moment. At the end: no container, no process, no file is left,
and the memory of the Cordon that survived them all is flat.

    chaos.py [N] [SEED]     default 30 executions and seed 1; the same seed gives the same deaths at the same moments
"""
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import LIMIT, Cordon, Engine, alive, until  # noqa: E402
from engine_way import CuttableEngine  # noqa: E402
from test_deaths import STUBBORN  # noqa: E402

AT_ONCE = 4
PROGRAMS = (
    "while True: pass",
    "import time\nfor i in range(10**9):\n    print('line', i, flush=True)\n    time.sleep(0.01)",
    "import sys\nwhile True: sys.stdout.write('x' * 65536)",
    "await mcp_stubborn.slow()",
    "import subprocess\nsubprocess.run(['python3', '-c', 'import time; time.sleep(300)'])",
    "import threading, time\nfor i in range(20): threading.Thread(target=time.sleep, args=(300,)).start()",
    "import asyncio\nawait asyncio.gather(*[mcp_stubborn.slow() for i in range(50)])",
)
# Deaths of one call, in a Cordon that lives on; and deaths of a Cordon.
OF_A_CALL = ("cancel", "kill container", "remove container", "timeout", "engine cut")
OF_A_CORDON = ("end of input", "SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "closed output", "signal, then SIGKILL 100 ms later")


class Chaos:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.engine = Engine()
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-chaos-")
        script = pathlib.Path(self.folder.name, "stubborn.py")
        script.write_text(STUBBORN)
        self.servers = {"stubborn": {"command": sys.executable, "args": [str(script)]}}
        self.way = CuttableEngine(self.engine)
        self.survivor = self.cordon(self.way.url)
        self.survivor.run("print('warm')")
        self.instances = set(self.survivor.instances())
        self.children = set()
        self.lock = threading.Lock()
        self.failures = []

    def cordon(self, url=None):
        return Cordon("--pool", "1", servers=self.servers, env={"MCP_BRIDGE_RUNTIME_SOCKET": url} if url else None)

    def note(self, cordon):
        with self.lock:
            self.instances |= set(cordon.instances())
            self.children |= set(cordon.children())

    def call(self, death, program, moment):
        """One call of the survivor."""
        timeout = 2 if death == "timeout" else 60
        number, answer = self.survivor.start_run(program, timeout=timeout)
        time.sleep(moment)
        self.note(self.survivor)
        if death == "cancel":
            if answer.done(): # another's death took its container first
                return
            self.survivor.notify("notifications/cancelled", {"requestId": number})
            time.sleep(0.2)
            assert not answer.done(), answer.result()
            return
        if death in ("kill container", "remove container"):
            names = self.survivor.containers(self.engine)
            for name in names: # others in flight share this fate: it is chaos
                (self.engine.kill if death == "kill container" else self.engine.remove)(name)
        if death == "engine cut":
            self.way.cut("refuse")
            time.sleep(0.3)
            self.way.mode = "open"
        # one that was not yet made when the others died runs on to its own end
        result = answer.result(timeout + LIMIT)
        assert "result" in result, result
        assert result["result"]["isError"], result

    def whole(self, death, program, moment):
        """One Cordon of its own."""
        cordon = self.cordon()
        try:
            cordon.start_run(program, timeout=60)
            time.sleep(moment)
            self.note(cordon)
            if death == "end of input":
                cordon.process.stdin.close()
            elif death == "closed output":
                cordon.go_deaf()
            elif death.startswith("signal"):
                cordon.process.send_signal(signal.SIGTERM)
                time.sleep(0.1)
                cordon.process.kill()
            else:
                cordon.process.send_signal(getattr(signal, death))
            cordon.process.wait(30)
            self.note(cordon)
        finally:
            cordon.close()

    def one(self, index):
        with self.lock:
            death = self.random.choice(OF_A_CALL + OF_A_CORDON)
            program = self.random.choice(PROGRAMS)
            moment = self.random.uniform(0, 2.5)
        line = "%3d %-34s at %4.2f s of %r" % (index, death, moment, program[:40])
        try:
            (self.call if death in OF_A_CALL else self.whole)(death, program, moment)
            print("ok  ", line, flush=True)
        except Exception as problem: # whatever it is, it is the test's finding
            self.failures.append(line)
            print("FAIL", line, repr(problem)[:1000], flush=True)

    def run(self, count):
        numbers = iter(range(count))
        # what the first calls cost is no leak: measured when each kind of thing has been done once
        first = min(count // 3, 40)
        self.batch(numbers, first)
        early = self.memory()
        self.batch(numbers, count - first)
        until(lambda: self.survivor.run("print('alive')").text == "alive\n", LIMIT)
        late = self.memory()
        print("memory of the survivor: %d KiB after %d executions, %d KiB after all" % (early, first, late))
        if late > early + 16 * 1024:
            self.failures.append("memory grew from %d to %d KiB" % (early, late))

    def batch(self, numbers, count):
        remaining = [next(numbers) for _ in range(count)]
        def work():
            while True:
                with self.lock:
                    if not remaining:
                        return
                    index = remaining.pop(0)
                self.one(index)
        threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def memory(self):
        time.sleep(1)
        status = pathlib.Path("/proc", str(self.survivor.process.pid), "status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

    def end(self):
        self.note(self.survivor)
        self.survivor.end(30)
        files = list(pathlib.Path(self.survivor.home.name, "state", "instances").glob("*"))
        self.survivor.close()
        # what a SIGKILL caught between two REST steps is swept by the next start
        with Cordon() as sweeper:
            sweeper.run("print(1)")
            mine = set(sweeper.instances())
            left = lambda: [n for i in self.instances - mine for n in self.engine.containers("io.cordon.instance=" + i)]
            try:
                until(lambda: not left(), 40)
            except AssertionError:
                pass
        containers = left()
        deadline = time.monotonic() + 20
        while any(alive(pid) for pid in self.children) and time.monotonic() < deadline:
            time.sleep(0.1)
        processes = [pid for pid in self.children if alive(pid)]
        print("containers left: %d, processes left: %d, files left: %d" % (len(containers), len(processes), len(files)))
        self.way.close()
        self.folder.cleanup()
        if containers or processes or files:
            self.failures.append("left behind: %s %s %s" % (containers, processes, files))


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print("seed %d, %d executions, %d at a time" % (seed, count, AT_ONCE))
    chaos = Chaos(seed)
    chaos.run(count)
    chaos.end()
    print("%d passed, %d failed" % (count - min(count, len(chaos.failures)), len(chaos.failures)))
    return 1 if chaos.failures else 0


if __name__ == "__main__":
    sys.exit(main())
