"""Executes what lies in no file: memfd_create, memfd_secret, execveat with an empty path, a deleted file."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
for name, call in {
    "memfd_create": lambda: libc.syscall(319 if x86 else 279, b"x", 0), "memfd exec": lambda: libc.syscall(319 if x86 else 279, b"x", 0x10), "memfd_secret": lambda: libc.syscall(447, 0),
    "execveat": lambda: libc.syscall(322 if x86 else 281, os.open("/bin/true", os.O_RDONLY), b"", None, None, 0x1000),
}.items():
    ctypes.set_errno(0)
    result, code = call(), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code in (errno.EPERM, errno.ENOSYS) else "WRONG", name, os.strerror(code))
fd = os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR, 0o700)
os.write(fd, open("/bin/true", "rb").read())
again = os.open("/proc/self/fd/%d" % fd, os.O_RDONLY)
os.close(fd)
try:
    os.execve("/proc/self/fd/%d" % again, ["x"], {})
    print("WON")
except OSError as e:
    print("HELD" if e.errno == errno.EACCES else "WRONG", e)
