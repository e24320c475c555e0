"""A fork bomb that hides: new sessions, double forks, each generation deaf, while the program itself ends at once."""
# expect: status=any
# expect-out: ^began
# needs-limit: processes
# timeout: 10
# within: 30
# alone: yes
import os
import signal

told, tell = os.pipe()
if os.fork() == 0:
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
                signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
                os.write(tell, b"x")
        except OSError:
            pass
os.read(told, 1)
print("began", flush=True)
