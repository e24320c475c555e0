"""Lets forked children run the interpreter's own ending: only the first process speaks for the run."""
# expect: status=success
# expect-out: ^HELD
import os
import sys

pid = os.fork()
if pid == 0:
    sys.exit(3)
status = os.waitpid(pid, 0)[1]
print("HELD" if os.WIFEXITED(status) else "WRONG", status)
