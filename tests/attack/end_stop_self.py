"""Stops itself and its whole group: a stopped program does not evade the deadline."""
# expect: status=timeout
# expect-out: before
# timeout: 3
# within: 15
import os
import signal

print("before", flush=True)
os.killpg(os.getpgrp(), signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
print("HELD")
