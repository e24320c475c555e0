"""Raises each of its limits, and gives itself a better place before the CPU."""
# expect: status=success
import errno
import os
import resource

for name in ("NOFILE", "NPROC", "CORE", "MEMLOCK", "MSGQUEUE", "RTPRIO", "NICE", "SIGPENDING"):
    kind = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY:
        print("HELD", name, "has none to raise")
        continue
    try:
        resource.setrlimit(kind, (hard + 1, hard + 1))
        print("HELD" if resource.getrlimit(kind) == (soft, hard) else "WON", name) # of core dumps it is told that it was done
    except (OSError, ValueError) as e:
        print("HELD", name, e)
for name, call in {"nice": lambda: os.nice(-5), "fifo": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)), "rr": lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))}.items():
    try:
        call()
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.EPERM, errno.EACCES) else "WRONG", name, e)
