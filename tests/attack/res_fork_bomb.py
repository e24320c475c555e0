"""Forks without end."""
# expect: status=any
# expect-out: any
# needs-limit: processes
# timeout: 6
# within: 30
# alone: yes
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
