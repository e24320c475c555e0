"""PID 1: the second worker, which has heavy modules imported. It takes the place of the first for a program that uses them."""
import os
import time

from . import wire
from .execution import params_of
from .processes import kill

SECONDS_A_MODULE = 20
MOST_LINE = 4000
MOST_NAME = 100


class Spare:
    """A worker of which nobody knows yet whether it is needed. `tell(method, params)` tells the host: `preloaded` of a module, with `name`,
    and `ms` and `kib`, or `why` it was not imported; and `prepared` in the end."""

    def __init__(self, worker, wanted, tell):
        self.worker, self.tell = worker, tell
        self.wanted = wanted.decode().split("\n")[1:]
        self.fd = worker.channel_fd
        self.lines = wire.Lines(MOST_LINE)
        self.landlock = None
        self.importing = None
        self.names = None    # once it waits: the modules that it has
        self.deadline = time.monotonic() + SECONDS_A_MODULE

    def read(self):
        """Takes what it says. False where it is of no use any more."""
        try:
            data = os.read(self.fd, MOST_LINE)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            return self.failed("the process ended")
        try:
            for line in self.lines.feed(data):
                self._take(wire.notification_of(wire.head_of(line)), params_of(line))
        except wire.TooLong:
            return False
        return True

    def _take(self, method, params):
        if method == b"landlock":
            self.landlock = params
        elif method == b"importing":
            self.importing = params.get("name")
            self.deadline = time.monotonic() + SECONDS_A_MODULE
        elif method == b"imported" and params.get("name") in self.wanted:
            self.importing = None
            self.tell("preloaded", {key: params[key] for key in ("name", "ms", "kib", "why") if isinstance(params.get(key), (str, int))})
        elif method == b"prepared":
            self.names = [name for name in params.get("names", ()) if name in self.wanted]
            self.deadline = None
            self.tell("prepared", {"names": self.names})

    def failed(self, why):
        if self.importing in self.wanted:
            self.tell("preloaded", {"name": self.importing, "why": why})
        return False

    def may_suit(self, line):
        """Whether the program names one of its modules at all: the worker itself then looks closer."""
        roots = {name.partition(".")[0].encode() for name in self.names or ()}
        return any(root in piece for root in roots for piece in line)

    def end(self, program=()):
        """A program that speaks of processes (`program`: its line) must not see this one: then its end is waited for, which takes some ms."""
        end_worker(self.worker.pid, self.fd, self.worker.output_fds)
        if any(b"proc" in piece or b"psutil" in piece for piece in program):
            wait_for_end(self.worker.pid)


def wait_for_end(pid, seconds=1):
    until = time.monotonic() + seconds
    try:
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.001)
    except ChildProcessError:
        pass  # it was reaped already


def end_worker(pid, channel_fd, output_fds):
    """One that is not needed; it is reaped as any child is."""
    kill(pid)
    for fd in (channel_fd, *output_fds):
        os.close(fd)
