"""Sends every signal to PID 1, by every call that sends one."""
# expect: status=success
# alone: yes
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
info = (ctypes.c_int * 32)()
for number in range(1, 65):
    for call in (lambda: os.kill(1, number), lambda: os.killpg(1, number), lambda: libc.syscall(234 if x86 else 131, 1, 1, number),
                 lambda: libc.syscall(200 if x86 else 130, 1, number), lambda: libc.syscall(129 if x86 else 138, 1, number, info), lambda: libc.syscall(297 if x86 else 240, 1, 1, number, info)):
        info[0], info[2] = number, -1  # si_signo, si_code SI_QUEUE
        try:
            call()
        except OSError:
            pass
time.sleep(0.3)
state = open("/proc/1/stat").read().rpartition(")")[2].split()[0]
print("HELD" if state in "SRD" else "WON", state)
