"""Forks without end."""
# expect: status=any
# expect-out: ^began
# needs-limit: processes
# timeout: 6
# within: 30
# alone: yes
import os

if os.fork():
    print("began", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
