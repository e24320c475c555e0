"""Makes PID 1 the largest process when memory ends: what fills it belongs to nobody, and what takes the rest is tiny."""
# expect: status=any
# expect-out: ^began
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


def used():
    for path in ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes"):
        if os.path.exists(path):
            return int(open(path).read())


def limit():
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        if os.path.exists(path):
            return int(open(path).read())


while used() < limit() - (4 << 20):
    address = libc.shmat(libc.shmget(0, ctypes.c_size_t(2 << 20), 0o1600), None, 0)
    ctypes.memset(address, 1, 2 << 20)
    libc.shmdt(address)
print("began", flush=True)  # the memory is full, and nobody's
os.execv("/bin/sh", ["sh", "-c", "while :; do sleep 100 & done"])
