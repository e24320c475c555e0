"""Takes the kernel's memory: pipes, socket buffers, epoll and inotify watches, timers, locks, semaphores, page tables."""
# expect: status=success,out_of_memory,error
# expect-out: ^began
# expect-not-out: ^WON
# needs-limit: memory
# timeout: 40
# alone: yes
import ctypes
import fcntl
import mmap
import os
import select
import socket

libc = ctypes.CDLL(None, use_errno=True)
kept = []
try:
    for _ in range(150):
        reader, writer = os.pipe2(os.O_NONBLOCK)
        try:
            fcntl.fcntl(writer, 1031, 1 << 20)
            os.write(writer, b"x" * (1 << 20))
        except OSError:
            pass
        left, right = socket.socketpair()
        left.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 20)
        left.setblocking(False)
        try:
            while True:
                left.send(b"x" * 65536)
        except OSError:
            pass
        kept += [left, right]
        if len(kept) == 2:
            print("began", flush=True)
except OSError as e:
    print("HELD", e, flush=True)
watch = libc.inotify_init()
os.makedirs("/dev/shm/w", exist_ok=True)
for n in range(100_000):
    path = b"/dev/shm/w/%d" % n
    try:
        os.mkdir(path)
    except OSError as e:
        print("HELD", e, flush=True)
        break
    if libc.inotify_add_watch(watch, path, 0xFFF) < 0:
        break
for n in range(100_000):
    if libc.semget(0, 250, 0o1600) < 0:
        break
maps = []
while len(maps) < 60_000:  # a page table each
    try:
        mapping = mmap.mmap(-1, 4 << 20)
    except OSError as e:
        print("HELD", e, flush=True)
        break
    mapping[0] = 1
    maps.append(mapping)
print("HELD", len(maps), flush=True)
