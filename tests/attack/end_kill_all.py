"""Kills and stops everything that it may."""
# expect: status=success
# within: 15
import os
import signal
import time

children = []
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        time.sleep(100)
        os._exit(0)
    children.append(pid)
for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    try:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(-1, number)
    except OSError as e:
        print("HELD", e)
for pid in children:
    os.waitpid(pid, 0)
print("HELD")
