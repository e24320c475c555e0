"""Takes PID 1's descriptors through a pidfd, signals it by one, and waits for it."""
# expect: status=success
import ctypes
import errno
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(434, 1, 0)
for fd in range(8):
    ctypes.set_errno(0)
    got = libc.syscall(438, pidfd, fd, 0)
    code = ctypes.get_errno()
    print("HELD" if got == -1 and code in (errno.EPERM, errno.EBADF) else "WON", fd, os.strerror(code))
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
    libc.syscall(424, pidfd, number, None, 0)
    libc.syscall(424, pidfd, number, None, 4)  # its process group
state = open("/proc/1/stat").read().rpartition(")")[2].split()[0]
print("HELD" if state in "SRD" else "WON " + state)
