"""Sets the clock, by every call and device."""
# expect: status=success
import ctypes
import errno
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
zeros = ctypes.create_string_buffer(512)
for name, call in {
    "clock_settime": lambda: time.clock_settime(time.CLOCK_REALTIME, 0), "boottime": lambda: time.clock_settime(time.CLOCK_BOOTTIME, 0), "monotonic": lambda: time.clock_settime(time.CLOCK_MONOTONIC, 0),
    "rtc": lambda: os.open("/dev/rtc0", os.O_RDONLY),
}.items():
    try:
        call()
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.EPERM, errno.EACCES, errno.ENOENT, errno.EINVAL) else "WRONG", name, e)
for name, call in {"settimeofday": lambda: libc.settimeofday(zeros, None), "adjtimex": lambda: libc.adjtimex(b"\x01\x10\0\0" + b"\0" * 508), "clock_adjtime": lambda: libc.clock_adjtime(0, b"\x01\x10\0\0" + b"\0" * 508)}.items():
    ctypes.set_errno(0)
    result, code = call(), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code == errno.EPERM else "WRONG", name, os.strerror(code))
