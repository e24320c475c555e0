"""Leaves files, segments, queues and sockets for the next run, and looks for what the last one left."""
# expect: status=success
# runs: 3
import ctypes
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
left = [path for path in ("/tmp/left", "/workspace/left", "/dev/shm/left", "/dev/mqueue/left") if os.path.exists(path)]
if libc.shmget(0x1234, 4096, 0) >= 0:
    left.append("segment")
for name in ("\0left",):
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(name)
            left.append("socket")
        except OSError:
            pass
others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
print("WON" if left or others else "HELD", left, others)
for place in ("/tmp", "/workspace", "/dev/shm"):
    open(place + "/left", "w").close()
libc.shmget(0x1234, 4096, 0o1600)
listener = socket.socket(socket.AF_UNIX)
listener.bind("\0left")
listener.listen()
if os.fork() == 0:
    while True:
        listener.accept()
