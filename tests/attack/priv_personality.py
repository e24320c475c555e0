"""Turns off what makes exploits hard: address randomisation, non-executable data."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
for name, value in (("no randomisation", 0x0040000), ("read implies exec", 0x0400000), ("map page zero", 0x0100000), ("compat layout", 0x0200000)):
    ctypes.set_errno(0)
    result, code = libc.personality(value), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code == errno.EPERM else "WRONG", name, os.strerror(code))
print("HELD" if libc.personality(ctypes.c_ulong(0xFFFFFFFF)) >= 0 else "WRONG")
