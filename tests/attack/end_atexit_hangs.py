"""Hangs in an atexit function, after all output."""
# expect: status=timeout
# expect-out: before
# timeout: 3
# within: 15
import atexit
import time

print("before")
atexit.register(time.sleep, 1000)
