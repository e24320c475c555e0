"""Keeps every CPU busy with processes and threads, at the best priority that it may have."""
# expect: status=timeout
# expect-out: ^began
# timeout: 4
# within: 20
# alone: yes
import os
import threading


def spin():
    while True:
        pass


for _ in range(16):
    if os.fork() == 0:
        spin()
print("began", flush=True)
for _ in range(4):
    threading.Thread(target=spin, daemon=True).start()
spin()
