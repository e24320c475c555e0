"""Remounts what is mounted: the root writable, a tmpfs executable; unmounts the masks."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
REMOUNT, BIND, MOVE, PRIVATE = 32, 4096, 8192, 1 << 18
for name, call in {
    "root rw": lambda: libc.mount(b"none", b"/", None, REMOUNT, None),
    "root rw, bind": lambda: libc.mount(b"none", b"/", None, REMOUNT | BIND, None),
    "tmp exec": lambda: libc.mount(b"none", b"/tmp", None, REMOUNT | BIND, None),
    "proc rw": lambda: libc.mount(b"none", b"/proc/sys", None, REMOUNT | BIND, None),
    "bind": lambda: libc.mount(b"/tmp", b"/dev/shm", None, BIND, None),
    "move": lambda: libc.mount(b"/tmp", b"/dev/shm", None, MOVE, None),
    "private": lambda: libc.mount(b"none", b"/", None, PRIVATE, None),
    "umount": lambda: libc.umount2(b"/proc/keys", 2),
    "umount root": lambda: libc.umount2(b"/", 2),
}.items():
    ctypes.set_errno(0)
    result, code = call(), ctypes.get_errno()
    print("WON" if result == 0 else "HELD" if code == errno.EPERM else "WRONG", name, os.strerror(code))
