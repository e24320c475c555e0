"""What only a host of our own lets us change: its clock, and its handler of core dumps. with_lab brings it up."""
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import ROOT, until  # noqa: E402
from test_clock import DAY, Case  # noqa: E402


def on_host(script, user="root"):
    """What a shell script says on the engine's host."""
    command = [ROOT / "scripts" / "lab", "ssh", os.environ["CORDON_LAB"], script]
    return subprocess.run(command, env={**os.environ, "LAB_USER": user}, check=True, stdout=subprocess.PIPE, text=True).stdout


class RealHost(Case):
    def test_runs_keep_their_time_when_the_clock_jumps(self):
        set_clock = lambda seconds: on_host("date -s @%d" % (time.time() + seconds))
        self.addCleanup(set_clock, 0)
        cordon = self.cordon()
        for seconds in (DAY, -DAY):
            with self.subTest(seconds):
                self.check_runs(cordon, seconds, set_clock, 20)
                seen = float(cordon.run("import time\nprint(time.time())").text) - time.time()
                self.assertLess(abs(seen - seconds), DAY / 2)
        self.assertEqual(cordon.end(), 0)

    def test_a_crash_does_not_reach_the_host_s_handler_of_core_dumps(self):
        # as systemd-coredump and apport are: started outside, as root, at whatever limit but 1
        self.addCleanup(on_host, "sysctl -qw kernel.core_pattern=core")
        on_host("printf '#!/bin/sh\\necho $1 >>/root/crashes\\n' >/root/handler && chmod 755 /root/handler && : >/root/crashes && "
                "sysctl -qw 'kernel.core_pattern=|/root/handler %u'")
        crashes = lambda: on_host("cat /root/crashes").split()
        on_host("sh -c 'kill -SEGV $$' || true", "dev")
        self.assertEqual(until(crashes), ["1000"]) # it works
        cordon = self.cordon()
        for code in ("os.abort()", "os.kill(os.getpid(), 11)", "subprocess.run(['sh', '-c', 'ulimit -c 0; kill -SEGV $$'])",
                     "subprocess.run(['sh', '-c', 'ulimit -S -c 0; kill -QUIT $$'])"):
            cordon.run("import os, subprocess\nos.chdir('/tmp')\n" + code)
        self.assertEqual(cordon.end(), 0)
        on_host("sh -c 'kill -SEGV $$' || true", "dev")
        self.assertEqual(until(lambda: crashes()[1:]), ["1000"])


if __name__ == "__main__":
    unittest.main()
