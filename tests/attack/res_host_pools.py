"""Empties pools that the whole host shares: asynchronous I/O contexts; and makes it write out all its disks."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
root = os.open("/", os.O_RDONLY)
for name, numbers, arguments in (("io_setup", (206, 0), (65536, ctypes.byref(ctypes.c_ulong(0)))), ("sync", (162, 81), ()), ("syncfs", (306, 267), (root,))):
    ctypes.set_errno(0)
    result, code = libc.syscall(numbers[column], *arguments), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code in (errno.EPERM, errno.ENOSYS) else "WRONG", name, os.strerror(code))
os.sync()
