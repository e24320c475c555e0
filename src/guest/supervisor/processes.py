"""PID 1: signals to processes, and their end."""
import os
import _signal as signal


def send(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass  # gone


def kill(pid):
    send(pid, signal.SIGKILL)


def kill_all(worker_pid):
    """Everything in the container but us. Where we are not PID 1 (the attestation says so), at least the worker."""
    kill(-1 if os.getpid() == 1 else worker_pid)
