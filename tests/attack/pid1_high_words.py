"""Hides PID 1's number, and a namespace flag, behind bits that the kernel drops and a filter might compare."""
# expect: status=success
# arch: x86_64
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
high = ctypes.c_ulong(1 << 32 | 1)
limit = (ctypes.c_ulong * 2)(1 << 20, 1 << 20)
calls = {
    "prlimit64": lambda: libc.syscall(302, high, 9, limit, None), "setpriority": lambda: libc.syscall(141, ctypes.c_ulong(1 << 32), high, 19),
    "setpriority user": lambda: libc.syscall(141, ctypes.c_ulong(1 << 32 | 2), ctypes.c_ulong(1 << 32), 19), "sched_setaffinity": lambda: libc.syscall(203, high, 8, (ctypes.c_ulong * 1)(1)),
    "ioprio_set": lambda: libc.syscall(251, ctypes.c_ulong(1 << 32 | 1), high, 3 << 13), "socket": lambda: libc.syscall(41, ctypes.c_ulong(1 << 32 | 2), ctypes.c_ulong(1 << 32 | 3), 1),
    "netlink": lambda: libc.syscall(41, ctypes.c_ulong(1 << 32 | 16), 3, ctypes.c_ulong(1 << 32 | 9)), "tiocsti": lambda: libc.syscall(16, 0, ctypes.c_ulong(1 << 32 | 0x5412), b"x"),
    "clone newuser": lambda: libc.syscall(56, ctypes.c_ulong(1 << 32 | 0x10000000 | 17), None, None, None, None), "personality": lambda: libc.syscall(135, ctypes.c_ulong(1 << 32 | 0x0400000)),
}
for name, call in calls.items():
    ctypes.set_errno(0)
    result, code = call(), ctypes.get_errno()
    if result == 0 and name.startswith("clone"):
        os._exit(0)
    print("WON" if result >= 0 else "HELD" if code in (errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT) else "WRONG", name, result, os.strerror(code))
