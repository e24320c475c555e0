"""Leaves by chroot and pivot_root, and opens files by handles that lie outside every tree."""
# expect: status=success
import ctypes
import errno
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
for name, call in {"chroot": lambda: os.chroot("/tmp"), "chroot out": lambda: os.chroot("/proc/1/root")}.items():
    try:
        call()
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.EPERM, errno.EACCES) else "WRONG", name, e)
ctypes.set_errno(0)
print("WON" if libc.syscall({"x86_64": 155, "aarch64": 41}[os.uname().machine], b"/tmp", b"/tmp") == 0 else "HELD", os.strerror(ctypes.get_errno()))
root = os.open("/", os.O_RDONLY)
for inode in (2, 128, 256):
    handle = struct.pack("=IiQ", 8, 1, inode)
    ctypes.set_errno(0)
    fd = libc.open_by_handle_at(root, handle, os.O_RDONLY)
    code = ctypes.get_errno()
    print("WON" if fd >= 0 else "HELD" if code == errno.EPERM else "WRONG", "handle", inode, os.strerror(code))
