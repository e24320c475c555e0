"""Dies with a core dump, after asking for one of any size."""
# expect: status=success
import os
import resource
import signal

try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print("WON")
except (OSError, ValueError) as e:
    print("HELD", e)
for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
    pid = os.fork()
    if pid == 0:
        os.chdir("/tmp")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    status = os.waitpid(pid, 0)[1]
    cores = [name for place in ("/tmp", "/workspace", "/dev/shm") for name in os.listdir(place) if name.startswith("core")]
    print("WON" if cores else "HELD", os.WTERMSIG(status), os.WCOREDUMP(status))
