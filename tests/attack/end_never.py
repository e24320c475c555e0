"""Never ends, in every way that a program can wait: in a loop, in C, in a lock, in sleep, in a read."""
# expect: status=timeout
# expect-out: before
# timeout: 3
# within: 15
import re
import signal
import threading
import time

print("before", flush=True)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for target in (lambda: time.sleep(1000), lambda: re.match("(a+)+$", "a" * 40 + "b"), lambda: threading.Lock().acquire() and threading.Event().wait()):
    threading.Thread(target=target, daemon=True).start()
while True:
    try:
        time.sleep(1000)
    except BaseException:
        pass
