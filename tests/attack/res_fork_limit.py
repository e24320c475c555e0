"""Forks sleepers until no more start: the limit is met in good order, and named."""
# expect: status=success
# needs-limit: processes
# hits-limit: processes
# timeout: 30
import errno
import os
import time

count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            time.sleep(1000)
        count += 1
    print("WON", count)
except OSError as e:
    print("HELD" if e.errno == errno.EAGAIN and count < 200 else "WRONG", count, e)
