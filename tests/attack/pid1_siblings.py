"""Makes children of PID 1 itself (CLONE_PARENT), which it did not fork: it must reap them and go on."""
# expect: status=success
# arch: x86_64
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
CLONE_PARENT = 0x8000
made = 0
for exit_signal in [17] * 60 + [9, 19, 15, 0]:
    pid = libc.syscall(56, CLONE_PARENT | exit_signal, None, None, None, None)
    if pid == 0:
        os._exit(0)
    made += pid > 0
def count_zombies():
    zombies = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                zombies += open("/proc/%s/stat" % name).read().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                pass
    return zombies


deadline = time.monotonic() + 10
while (zombies := count_zombies()) and time.monotonic() < deadline:
    time.sleep(0.05)
state = open("/proc/1/stat").read().rpartition(")")[2].split()[0]
print("HELD" if state in "SRD" and zombies == 0 else "WON", made, zombies, state)
