"""Leaves hundreds of daemons by double fork, in sessions of their own, deaf to every signal that can be ignored."""
# expect: status=success
# needs-limit: processes
# within: 15
# alone: yes
import os
import signal
import time

made = 0
for _ in range(300):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        os.setsid()
        try:
            if os.fork():
                os._exit(0)
        except OSError:
            os._exit(0)
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            time.sleep(1000)
    os.waitpid(pid, 0)
    made += 1
print("HELD", made)
