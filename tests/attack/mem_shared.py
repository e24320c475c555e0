"""Takes memory that belongs to no process: shared mappings, System V segments, POSIX shared memory."""
# expect: status=out_of_memory,error,success,timeout
# expect-out: ^(64 MiB|HELD shmget)
# expect-not-out: ^WON
# needs-limit: memory
# timeout: 30
# alone: yes
import ctypes
import mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
taken = 0
for _ in range(20):
    segment = libc.shmget(0, ctypes.c_size_t(64 << 20), 0o1600)
    if segment < 0:
        print("HELD shmget", ctypes.get_errno(), flush=True)
        break
    address = libc.shmat(segment, None, 0)
    ctypes.memset(address, 1, 64 << 20)
    taken += 64
    print(taken, "MiB", flush=True)
    if taken > 600:
        print("WON", flush=True)
while True:
    mapping = mmap.mmap(-1, 32 << 20)
    mapping.write(b"x" * (32 << 20))
    globals()["m%d" % taken] = mapping
    taken += 32
    if taken > 600:
        print("WON", flush=True)
