"""An engine for one test: with a disk of its own, whose size the test sets, and a home of its own, where the test puts its settings.

It hangs on one process that ends with us, whatever ends us; its namespaces and the disk end with that."""
import os
import pathlib
import re
import subprocess
import tempfile

from cordon_client import LIMIT, ROOT, Engine
from far_host import UNTIL_WE_END, child_of, sh

DISK = ROOT / "build" / "engine"


class OwnEngine:
    """`flags`: of scripts/engine."""

    def __init__(self, *flags):
        self.flags, self.pid = flags, None
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-own-")
        self.home = pathlib.Path(self.folder.name, "home")
        self.home.mkdir()
        sh("bash", "-c", '. scripts/lib.sh; image_tar python "$(debian_release)"', cwd=ROOT)
        DISK.mkdir(parents=True, exist_ok=True)
        script = 'mount -t tmpfs -o size=4g tmpfs "$1"; mount -t tmpfs -o size=1g tmpfs /var/tmp; exec catatonit -P'
        self.outer = subprocess.Popen([*UNTIL_WE_END, "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
                                       "bash", "-ec", script, "own", str(DISK)], stdin=subprocess.DEVNULL)
        try:
            self.pid = child_of(self.outer.pid)
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        said = self.script("start", "--suite", sh("bash", "-c", ". scripts/lib.sh; debian_release", cwd=ROOT).strip())
        self.settings = dict(re.findall(r"^(MCP_\w+)=(.*)$", said, re.M))
        socket = pathlib.Path(self.folder.name, "s")  # its path in there may be a long one
        socket.unlink(missing_ok=True)
        socket.symlink_to("/proc/%s/root%s" % (self.pid, self.settings["MCP_BRIDGE_RUNTIME_SOCKET"][len("unix://"):]))
        self.settings["MCP_BRIDGE_RUNTIME_SOCKET"] = "unix://%s" % socket
        self.engine = Engine(self.settings["MCP_BRIDGE_RUNTIME_SOCKET"])

    def script(self, command, *more):
        return self.inside(ROOT / "scripts" / "engine", command, *self.flags, *more)

    def inside(self, *command):
        return sh("nsenter", "-t", self.pid, "-m", "-p", *command, timeout=LIMIT * 5,
                  env={**os.environ, "HOME": str(self.home), "CORDON_ENGINE_SEES": str(self.home), "CORDON_ENGINE_PULL": "0",
                       "CORDON_ENGINE_CONF": str(self.home / "containers.conf")})

    def configure(self, path, text):
        """Writes a file of its home, which it knows when this returns."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.script("restart")

    def used(self, place=DISK):
        about = os.statvfs("/proc/%s/root%s" % (self.pid, place))
        return (about.f_blocks - about.f_bfree) * about.f_frsize

    def leave(self, free, place=DISK):
        """Makes the disk so large that just this much of it is free."""
        self.inside("mount", "-o", "remount,size=%d" % (self.used(place) + free), place)

    def close(self):
        if self.pid and hasattr(self, "settings"):
            self.script("stop")
        self.outer.kill()
        self.outer.wait()
        self.folder.cleanup()
