"""Becomes somebody else: user, group, groups, capabilities, ambient ones, no-new-privileges undone."""
# expect: status=success
import ctypes
import errno
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
header, everything = struct.pack("=Ii", 0x20080522, 0), b"\xff" * 24


def libc_call(call):
    ctypes.set_errno(0)
    if call() != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


for name, call in {
    "setuid": lambda: os.setuid(0), "seteuid": lambda: os.seteuid(0), "setresuid": lambda: os.setresuid(0, 0, 0), "another user": lambda: os.setuid(1000), "setgid": lambda: os.setgid(0),
    "setgroups": lambda: os.setgroups([0]), "initgroups": lambda: os.initgroups("root", 0), "capset": lambda: libc_call(lambda: libc.capset(header, everything)),
    "ambient": lambda: libc_call(lambda: libc.prctl(47, 2, 21, 0, 0)), "undo no_new_privs": lambda: libc_call(lambda: libc.prctl(38, 0, 0, 0, 0)), "securebits": lambda: libc_call(lambda: libc.prctl(28, 0x15, 0, 0, 0)),
    "mm": lambda: libc_call(lambda: libc.prctl(35, 1, 0x1000, 0, 0)),
}.items():
    try:
        call()
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.EPERM, errno.EINVAL) else "WRONG", name, e)
for line in open("/proc/self/status"):
    if line.startswith("Cap"):
        print("HELD" if int(line.split()[1], 16) == 0 else "WON", line.strip())
