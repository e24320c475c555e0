"""A fork bomb that hides: new sessions, double forks, each generation deaf, while the program itself ends at once."""
# expect: status=any
# expect-out: any
# needs-limit: processes
# timeout: 10
# within: 30
# alone: yes
import os
import signal

if os.fork() == 0:
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
                signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        except OSError:
            pass
