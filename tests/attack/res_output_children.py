"""Prints from a hundred processes at once, some of which never end."""
# expect: status=success
# expect-out: ^child
# needs-limit: processes
# within: 20
# timeout: 20
import os
import time

for n in range(80):
    if os.fork() == 0:
        while True:
            os.write(1 + n % 2, b"child %d\n" % n * 100)
time.sleep(1)
