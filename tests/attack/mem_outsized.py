"""Makes PID 1 the largest process: memory that belongs to nobody, a low score of its own, and a tiny program that takes the rest."""
# expect: status=any
# expect-out: any
# needs-limit: memory
# timeout: 20
# within: 50
# alone: yes
import ctypes
import os

os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"0")
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
for _ in range(30):
    address = libc.shmat(libc.shmget(0, ctypes.c_size_t(8 << 20), 0o1600), None, 0)
    ctypes.memset(address, 1, 8 << 20)
    libc.shmdt(address)
os.execv("/bin/sh", ["sh", "-c", "for p in /dev/shm /tmp /workspace; do dd if=/dev/zero of=$p/x bs=64k; done; cd /dev/shm; n=0; while :; do mkdir d$n; n=$((n+1)); done"])
