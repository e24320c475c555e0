"""What only a host of our own lets us change: its clock, its handler of core dumps, its users. with_lab brings it up."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, until  # noqa: E402
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

    def test_an_engine_of_a_user_without_a_session(self):
        # podman says nothing of it, takes the limits, and no cgroup has them
        self.addCleanup(on_host, "pkill -KILL -u bare; userdel --remove bare 2>/dev/null; rm -rf /tmp/bare /tmp/bare.tar")
        image = os.environ["MCP_BRIDGE_IMAGE"]
        on_host("podman image save %s -o /tmp/bare.tar && chmod a+r /tmp/bare.tar" % image, "dev")
        on_host("""set -e
            useradd --create-home bare
            install -d -o bare /tmp/bare
            as_bare='setpriv --reuid=bare --regid=bare --init-groups env -i -C / HOME=/home/bare USER=bare PATH=/usr/sbin:/usr/bin XDG_RUNTIME_DIR=/tmp/bare'
            $as_bare podman load -q -i /tmp/bare.tar
            $as_bare setsid podman system service --time=0 unix:///tmp/bare/s </dev/null >/dev/null 2>&1 &
            until [ -S /tmp/bare/s ]; do sleep 0.2; done
            chmod 666 /tmp/bare/s; chmod 755 /tmp/bare""")
        folder = tempfile.TemporaryDirectory(prefix="cordon-bare-")
        self.addCleanup(folder.cleanup)
        near = pathlib.Path(folder.name, "s")
        config = ROOT / "build" / "lab" / os.environ["CORDON_LAB"] / "ssh_config"
        way = subprocess.Popen(["ssh", "-F", config, "-N", "-L", "%s:/tmp/bare/s" % near, "dev@guest"], stdin=subprocess.DEVNULL)
        self.addCleanup(way.wait)
        self.addCleanup(way.kill)
        until(near.exists)
        environment = {**os.environ, "MCP_BRIDGE_RUNTIME_SOCKET": "unix://%s" % near, "HOME": folder.name, "MCP_BRIDGE_STATE_DIR": folder.name + "/state"}
        for words in (["exec", "-"], ["doctor"]):
            ended = subprocess.run([CORDON, *words], input="print('ran')", capture_output=True, text=True, env=environment, timeout=LIMIT * 3)
            self.assertNotEqual(ended.returncode, 0, ended)
            self.assertNotIn("ran\n", ended.stdout)
            said = ended.stdout + ended.stderr
            self.assertIn("the engine has no systemd user session to get cgroups from", said)
            self.assertIn("sudo loginctl enable-linger $USER, then log in anew", said)


if __name__ == "__main__":
    unittest.main()
