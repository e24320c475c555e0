"""Reads, writes and pushes out PID 1's memory by the calls made for it."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
buffer = ctypes.create_string_buffer(16)
iov = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16)
there = (ctypes.c_size_t * 2)(0x400000, 16)
pidfd = libc.syscall(434, 1, 0)
calls = {
    "process_vm_readv": lambda: libc.process_vm_readv(1, iov, 1, there, 1, 0), "process_vm_writev": lambda: libc.process_vm_writev(1, iov, 1, there, 1, 0),
    "process_madvise": lambda: libc.syscall(440, pidfd, there, 1, 21, 0), "process_mrelease": lambda: libc.syscall(448, pidfd, 0),
    "kcmp": lambda: libc.syscall(312 if x86 else 272, 1, os.getpid(), 0, 0, 0), "migrate_pages": lambda: libc.syscall(256 if x86 else 238, 1, 64, buffer, buffer),
    "move_pages": lambda: libc.syscall(279 if x86 else 239, 1, 1, there, None, buffer, 0), "get_robust_list": lambda: libc.syscall(274 if x86 else 100, 1, buffer, buffer),
}
for name, call in calls.items():
    ctypes.set_errno(0)
    result, code = call(), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code in (errno.EPERM, errno.EACCES, errno.ENOSYS) else "WRONG", name, os.strerror(code))
