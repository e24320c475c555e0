"""The worker, before any code: Landlock, a wall of the kernel's own behind the mounts, the file modes and the filter.

Where the kernel has it, code may write below the places that are its own, to the usual devices and to /proc (where programs name their
threads and say who dies first; what of it is the host's is read-only or masked), and to nothing else, whatever is mounted and whoever
owns it; it may neither trace nor (from ABI 6 on) signal PID 1. Reading and executing stay as they are.
TCP stays, too: Landlock knows ports alone, and programs may talk to each other over the loopback; the way out is closed by the
network namespace. Where the kernel has none, that is told and nothing else.
"""
import os
import struct

from . import libc_calls

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all architectures
ASK_VERSION = 1
RULE_PATH_BENEATH = 1
OLDEST = 2  # before it, any ruleset at all forbids to move a file from folder to folder
ERRORS = {38: "this kernel has none", 95: "it is turned off in this kernel", 1: "the engine's seccomp profile refuses it"}

WRITE_FILE, TRUNCATE, IOCTL_DEV, REFER = 1 << 1, 1 << 14, 1 << 15, 1 << 13
CHANGE_FOLDERS = sum(1 << bit for bit in range(4, 13))  # remove and make, of every kind of file
MAKE_OTHERS = 1 << 6 | 1 << 11
SINCE = {REFER: 2, TRUNCATE: 3, IOCTL_DEV: 5}  # ABI
SCOPES, SCOPES_SINCE = 3, 6  # abstract Unix sockets and signals of processes that are not below us
QUIET, QUIET_SINCE = 5, 7    # no line in the host's audit log for each refusal, here and in what code restricts further

TREES = ("/tmp", "/workspace", "/dev/shm", "/dev/mqueue")
OTHERS = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/proc")


def enter():
    """Puts it in force for this process and all that come of it. `{abi, why}`: 0 where there is none, and why where it is not in force."""
    if libc_calls.libc is None:
        return {"abi": 0, "why": "this Python has no ctypes"}
    abi = call(CREATE_RULESET, None, 0, ASK_VERSION)
    if abi < 0:
        return {"abi": 0, "why": ERRORS.get(-abi) or os.strerror(-abi)}
    if abi < OLDEST:
        return {"abi": 0, "why": "this kernel's first version of it forbids to move files"}
    return {"abi": abi, "why": restrict(abi)}


def restrict(abi):
    """Why it could not be done, or None."""
    handled = sum(right for right, since in SINCE.items() if abi >= since) | WRITE_FILE | CHANGE_FOLDERS
    attributes = struct.pack("=QQQ", handled, 0, SCOPES)[:24 if abi >= SCOPES_SINCE else 8]
    ruleset = call(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return "no ruleset: " + os.strerror(-ruleset)
    try:
        for places, rights in ((TREES, handled & ~MAKE_OTHERS), (OTHERS, handled & (WRITE_FILE | TRUNCATE | IOCTL_DEV))):
            for place in places:
                allow(ruleset, place, rights)
        result = call(RESTRICT_SELF, ruleset, QUIET if abi >= QUIET_SINCE else 0)
    finally:
        os.close(ruleset)
    return None if result == 0 else os.strerror(-result)


def allow(ruleset, place, rights):
    """What is not there, or cannot be named, stays closed."""
    try:
        fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        call(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def call(number, *arguments):
    """The system call's result, or minus the error."""
    ctypes = libc_calls.ctypes
    words = [each if isinstance(each, bytes) else ctypes.c_void_p(each) for each in arguments]
    result = libc_calls.libc.syscall(ctypes.c_long(number), *words)
    return result if result >= 0 else -ctypes.get_errno()
