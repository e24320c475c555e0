"""PID 1: ending processes."""
import os
import time
import _signal as signal

from .cgroup import read_text

GIVE_UP_SECONDS = 2  # for the processes that an execution of a session left behind


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass  # gone


def kill_all(worker_pid):
    """Everything in the container but us. Where we are not PID 1 (the attestation says so), at least the worker."""
    kill(-1 if os.getpid() == 1 else worker_pid)


def kill_others(kept):
    """Every process that is not among `kept`; False where they multiply faster, and everything was killed instead."""
    if os.getpid() != 1:
        return True
    give_up = time.monotonic() + GIVE_UP_SECONDS
    while True:
        others = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid not in kept and is_alive(pid)]
        if not others:
            return True
        if time.monotonic() > give_up:
            kill(-1)
            return False
        for pid in others:
            kill(pid)
        time.sleep(0.0005)  # they need a moment to die


def is_alive(pid):
    text = read_text("/proc/%d/stat" % pid)
    return text is not None and text.rpartition(")")[2].split()[:1] not in (["Z"], ["X"], [])
