"""Lowers its own OOM score below PID 1's and then fills the memory from many sides."""
# expect: status=out_of_memory,error,success,timeout
# expect-out: (?s)HELD.*^began
# needs-limit: memory
# timeout: 30
# alone: yes
import os

for value in (-1000, -1, 0):
    try:
        os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"%d" % value)
        print("WON" if value < 0 else "HELD", value, flush=True)
    except OSError as e:
        print("HELD", e, flush=True)
for place, size in (("/dev/shm", 64), ("/tmp", 60), ("/workspace", 124)):
    with open(place + "/fill", "wb") as file:
        try:
            for _ in range(size):
                file.write(b"x" * (1 << 20))
        except OSError:
            pass
children = []
for _ in range(60):
    if os.fork() == 0:
        hoard = []
        while True:
            hoard.append(b"x" * (1 << 20))
print("began", flush=True)
os.wait()
hoard = []
while True:
    hoard.append(b"x" * (1 << 20))
