"""Traces PID 1 and its threads, by every request that begins a trace."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
for tid in [1] + [int(name) for name in os.listdir("/proc/1/task")]:
    for name, request in (("attach", 16), ("seize", 0x4206), ("peek", 2), ("getregset", 0x4204), ("kill", 8), ("interrupt", 0x4207)):
        ctypes.set_errno(0)
        result = libc.ptrace(request, tid, None, None)
        code = ctypes.get_errno()
        print("HELD" if result == -1 and code == errno.EPERM else "WON" if result != -1 else "WRONG", name, tid, os.strerror(code))
