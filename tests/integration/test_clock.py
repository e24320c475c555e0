"""The host's clock jumps by a day, either way: no run ends early or late for it, and the janitor takes nobody for dead.

Cordon's own clock is moved by tests/fakes/moved_clock.cc, the time of day alone; test_real_host.py moves a lab
guest's, where engine and containers are.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, Cordon, Engine, Result, cpu_seconds, until  # noqa: E402

DAY = 24 * 3600
BEGUN = "runtime.progress(1, 2, 'begun')\n"
BUSY = BEGUN + "while True: pass"
SLEEPS = BEGUN + "import time\ntime.sleep(%d)\nprint('lived')"


class MovedClock:
    """The environment of a Cordon whose time of day can be moved while it runs; steady clocks are the real ones."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-clock-")
        self.file = pathlib.Path(self.folder.name, "time")
        self.jump(0)
        self.env = {"LD_PRELOAD": os.environ["CORDON_MOVED_CLOCK"], "MOVED_CLOCK": str(self.file)}

    def jump(self, seconds):
        new = self.file.with_suffix(".new")
        new.write_text(str(seconds))
        new.rename(self.file)

    def close(self):
        self.folder.cleanup()


class Case(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()

    def cordon(self, *flags, **more):
        cordon = Cordon(*flags, **more)
        self.addCleanup(cordon.close)
        return cordon

    def ages(self, cordon):
        """Of its containers, in seconds, by its own label and our clock."""
        return [time.time() - int(labels["io.cordon.created"]) for each in cordon.instances()
                for labels in self.engine.labels("io.cordon.instance=" + each).values()]

    def check_runs(self, cordon, seconds, jump, time_of_one=5):
        """Runs under way at a jump: one that ends by itself, one that never does."""
        # both are under way: a jump that comes before or after them would be none
        lived, busy = (cordon.begin_run(code, timeout=timeout)[1] for code, timeout in ((SLEEPS % time_of_one, 100), (BUSY, time_of_one)))
        jump(seconds)
        self.assertEqual(Result(busy.result(LIMIT * 3)).status, "timeout")
        self.assertEqual(Result(lived.result(LIMIT * 3)).text, "lived\n")


class Clock(Case):
    def test_runs_under_way_keep_their_time(self):
        clock = MovedClock()
        self.addCleanup(clock.close)
        cordon = self.cordon(env=clock.env)
        for seconds in (DAY, -DAY):
            with self.subTest(seconds):
                self.check_runs(cordon, seconds, clock.jump)
                self.assertEqual(cordon.run("print('next')").text, "next\n")
                until(lambda: any(abs(age + seconds) < DAY / 2 for age in self.ages(cordon)), LIMIT) # the next warm one: it did see the jump

    def test_the_host_s_own_deadline_holds_for_a_guest_that_has_stopped(self):
        clock = MovedClock()
        self.addCleanup(clock.close)
        cordon = self.cordon("--pool", "0", env=clock.env)
        guests = lambda: [pid for name in cordon.containers(self.engine) for pid in self.engine.processes(name)]
        run = cordon.start_run(BUSY, timeout=6)[1]
        until(lambda: any(cpu_seconds(pid) > 0.3 for pid in guests()[1:]), LIMIT)
        os.kill(guests()[0], signal.SIGSTOP)
        clock.jump(-DAY)
        self.assertEqual(Result(run.result(LIMIT)).status, "timeout")

    def stranger(self, **labels):
        name = self.engine.stranger(**labels)
        self.addCleanup(self.engine.remove, name)
        return name

    def test_the_janitor_takes_nobody_for_dead(self):
        living = self.cordon()
        run = living.start_run("print('begun', flush=True)\nimport time\ntime.sleep(600)", timeout=100)[0]
        names = until(lambda: living.containers(self.engine), LIMIT)
        mark = next(iter(self.engine.labels("io.cordon.instance=" + living.instances()[0]).values()))
        here = {key: mark["io.cordon." + key] for key in ("owner", "boot")}
        far = {"instance": "0123456789abcdef"}
        now = int(time.time())
        elsewhere = self.stranger(**far, created=str(now), deadline=str(now + 7200))
        for seconds in (DAY, -DAY):
            with self.subTest(seconds):
                clock = MovedClock()
                self.addCleanup(clock.close)
                jumper = self.cordon(env=clock.env)
                own = jumper.start_run(SLEEPS % 5, timeout=100)[1]
                until(jumper.instances, LIMIT)
                clock.jump(seconds) # its first sweep is still to come; were it not, the next comes in a minute
                expired = self.stranger(**far, created=str(now - 9000), deadline=str(now - 1800))
                dead = self.stranger(**here, instance=os.urandom(8).hex(), process="1-1", created=str(now), deadline=str(now + 7200))
                exists = lambda name: self.engine.request("GET", "/containers/%s/json" % name)[0] == 200
                until(lambda: not exists(dead), LIMIT * 2)
                self.assertEqual([exists(name) for name in names + [elsewhere]], [True] * (len(names) + 1))
                if seconds > 0:
                    until(lambda: not exists(expired), LIMIT * 2)
                self.assertEqual(Result(own.result(LIMIT * 3)).text, "lived\n")
                swept = subprocess.run([CORDON, "sweep"], env={**os.environ, **clock.env, "HOME": jumper.home.name}, stdout=subprocess.PIPE)
                self.assertEqual(swept.returncode, 0)
                self.assertTrue(all(exists(name) for name in names)) # also by one that was started after the jump
                elsewhere = elsewhere if exists(elsewhere) else self.stranger(**far, created=str(now), deadline=str(now + 7200))
        living.notify("notifications/cancelled", {"requestId": run})


if __name__ == "__main__":
    unittest.main()
