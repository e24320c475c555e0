"""Undoes the filters: strict mode, a filter of its own that allows all, a listener, a new process without them."""
# expect: status=success
import ctypes
import errno
import os
import struct
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
allow = struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000)
program = ctypes.create_string_buffer(allow, 8)
header = struct.pack("=HxxxxxxQ", 1, ctypes.addressof(program))
for flags in (0, 1, 4):
    print("HELD" if libc.syscall(number, 1, flags, header) == -1 else "WON", "own filter")
ctypes.set_errno(0)
result, code = libc.unshare(0x10000000), ctypes.get_errno()
print("WON" if result == 0 else "HELD" if code == errno.EPERM else "WRONG", os.strerror(code))
status = {line.split(":")[0]: line.split()[1] for line in open("/proc/self/status") if ":" in line and len(line.split()) > 1}
print("HELD" if status["Seccomp"] == "2" and status["NoNewPrivs"] == "1" else "WON", status.get("Seccomp_filters"))
probe = "import ctypes; print(ctypes.CDLL(None, use_errno=True).unshare(0x10000000), [l.split()[1] for l in open('/proc/self/status') if l.startswith('Seccomp:')][0])"
print("HELD" if subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout.split() == ["-1", "2"] else "WON")
