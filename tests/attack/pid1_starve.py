"""Takes PID 1's limits and its share of the CPU: prlimit, priorities, schedulers, affinity, I/O class."""
# expect: status=success
import ctypes
import errno
import os
import resource
import struct

libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"


def raw(x86_number, arm_number, *arguments):
    ctypes.set_errno(0)
    if libc.syscall(x86_number if x86 else arm_number, *arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


attributes = struct.pack("=IIQiIQQQ", 48, 5, 0, 19, 0, 0, 0, 0)
tids = [int(name) for name in os.listdir("/proc/1/task")]
calls = {
    "prlimit": lambda: resource.prlimit(1, resource.RLIMIT_AS, (1 << 20, 1 << 20)), "prlimit cpu": lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1)),
    "prlimit files": lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)), "prlimit read": lambda: resource.prlimit(1, resource.RLIMIT_AS),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, 1, 19), "setpriority group": lambda: os.setpriority(os.PRIO_PGRP, 1, 19),
    "setpriority user": lambda: os.setpriority(os.PRIO_USER, 0, 19), "setpriority our user": lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    "sched_setscheduler": lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)), "sched_setparam": lambda: os.sched_setparam(1, os.sched_param(0)),
    "sched_setaffinity": lambda: os.sched_setaffinity(1, {0}), "sched_setattr": lambda: raw(314, 274, 1, attributes, 0),
    "ioprio_set": lambda: raw(251, 30, 1, 1, 3 << 13), "ioprio_set group": lambda: raw(251, 30, 2, 1, 3 << 13), "ioprio_set user": lambda: raw(251, 30, 3, os.getuid(), 3 << 13),
}
for tid in tids:
    calls["affinity of thread %d" % tid] = lambda tid=tid: os.sched_setaffinity(tid, {0})
    calls["nice of thread %d" % tid] = lambda tid=tid: os.setpriority(os.PRIO_PROCESS, tid, 19)
for name, call in calls.items():
    try:
        call()
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.EPERM, errno.EACCES) else "WRONG", name, e)
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.nice(1)
print("HELD what is one's own may be set")
