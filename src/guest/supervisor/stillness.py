"""PID 1: between two executions of a session nothing runs but us, so that no session takes time that is no run's.

All processes are stopped by SIGSTOP. The worker and multiprocessing's processes then stay as they are, until the next execution; all
else is killed. A process counts as stopped when all of its threads are, and when its CPU clock stands still: a timer of its own may
send it SIGCONT, and it may stop itself again before we look.
"""
import os
import time
import _signal as signal

from .cgroup import read_text
from .processes import kill, send

GIVE_UP_SECONDS = 2      # for what will not stop, or multiplies faster than it can be ended
MOST_KEPT = 64           # of multiprocessing's processes; of more none is kept
ALLOWED_SECONDS = 0.005  # of CPU time between two executions: what a clock may count late
NOT_STOPPED = "processes that the code left behind could not be stopped, and were ended"
STATE, PARENT = 0, 1     # in /proc/…/stat, behind the command's name
RESTING, DEAD = (b"T", b"Z", b"X"), (b"Z", b"X")
HELPERS = (b"from multiprocessing.resource_tracker import main", b"from multiprocessing.forkserver import main")
SPAWNED = b"from multiprocessing.spawn import spawn_main"


class Stillness:
    """What a session keeps between two executions, and the CPU time of each when it was seen to stand still."""

    def __init__(self, worker_pid):
        self.worker_pid = worker_pid
        self.alone = os.getpid() == 1  # else (the attestation says so) other processes are not ours to stop
        self.clocks = {}

    def begin(self):
        """Stops everything. (whether the worker stands still, a note or None): where it does not, the session is over."""
        if self._settle(True):
            return True, None
        return self._settle(False), NOT_STOPPED

    def holds(self):
        """Whether everything stood still until now. What did not, and was none of the worker's, is ended; without the worker it is over."""
        others = living(self.alone, {1, self.worker_pid})
        if not others - set(self.clocks) and all(self._rests(pid) for pid in self.clocks):
            return True
        return self._rests(self.worker_pid) and self._settle(False)

    def end(self):
        """The next execution begins: all goes on."""
        self.clocks = {}
        send(-1 if self.alone else self.worker_pid, signal.SIGCONT)

    def _rests(self, pid):
        return rests(pid) and cpu_clock(pid) - self.clocks[pid] <= ALLOWED_SECONDS

    def _settle(self, with_helpers):
        give_up, pause = time.monotonic() + GIVE_UP_SECONDS, 0.00002
        while True:
            send(-1 if self.alone else self.worker_pid, signal.SIGSTOP)  # one sweep: what is being forked is stopped as well
            others = living(self.alone, {1, self.worker_pid})
            kept = self._helpers(others) if with_helpers and others else set()
            for pid in others - kept:
                kill(pid)
            if others == kept:
                clocks = {pid: cpu_clock(pid) for pid in kept | {self.worker_pid}}
                if all(map(rests, clocks)) and all(cpu_clock(pid) == clock for pid, clock in clocks.items()):
                    self.clocks = clocks
                    return True
            if time.monotonic() > give_up:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.002)

    def _helpers(self, others):
        """multiprocessing's own, known by their program, their command line and their parents. Two of them it has but once."""
        program, command = program_of(self.worker_pid), command_of(self.worker_pid)
        parents = {pid: parent_of(pid) for pid in others}
        kept = {}
        for pid in sorted(others):
            said = command_of(pid)
            if parents[pid] == self.worker_pid and program is not None and program_of(pid) == program:
                for words in HELPERS:
                    if words in said:
                        kept.setdefault(words, pid)
        servers = {pid: command_of(pid) for pid in kept.values()}
        workers = {pid for pid in others - set(servers) if program_of(pid) == program and
                   (parents[pid] == self.worker_pid and (command_of(pid) == command or SPAWNED in command_of(pid)) or
                    parents[pid] == kept.get(HELPERS[1]) and command_of(pid) == servers[parents[pid]])}
        return set(servers) | (workers if len(workers) <= MOST_KEPT else set())


def living(everywhere, but):
    """Processes that are not dead; of one whose first thread has ended the others may live."""
    if not everywhere:
        return set()
    return {pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid not in but and not all_in(pid, DEAD)}


def rests(pid):
    return all_in(pid, RESTING)


def all_in(pid, states):
    """Whether all threads of a process are in one of these; of one that is gone they are."""
    try:
        threads = os.listdir("/proc/%d/task" % pid)
    except OSError:
        return True
    return all(state_of("/proc/%d/task/%s/stat" % (pid, thread)) in states for thread in threads)


def state_of(path):
    fields = stat_of(path)
    return fields[STATE] if fields else b"X"


def parent_of(pid):
    fields = stat_of("/proc/%d/stat" % pid)
    return int(fields[PARENT]) if fields else 0


def stat_of(path):
    """Its fields behind the command's name, which may hold anything."""
    text = read_text(path)
    return text.rpartition(")")[2].encode().split() if text else []


def command_of(pid):
    return (read_text("/proc/%d/cmdline" % pid) or "").encode()


def program_of(pid):
    try:
        facts = os.stat("/proc/%d/exe" % pid)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def cpu_clock(pid):
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the kernel's number for that process's CPU clock
    except OSError:
        return 0.0
