"""Dies with a core dump, after asking for one of any size: also of none, at which a host's own handler of them is started all the same."""
# expect: status=success
import os
import resource
import signal

for size in (resource.RLIM_INFINITY, 4096, 0):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (size, size))
        print("WON", size)
    except (OSError, ValueError) as e:
        print("HELD", size, e)
    try:
        resource.prlimit(0, resource.RLIMIT_CORE, (size, size))
        print("WON", size)
    except (OSError, ValueError) as e:
        print("HELD", size, e)
for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
    pid = os.fork()
    if pid == 0:
        os.chdir("/tmp")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    status = os.waitpid(pid, 0)[1]
    cores = [name for place in ("/tmp", "/workspace", "/dev/shm") for name in os.listdir(place) if name.startswith("core")]
    print("WON" if cores else "HELD", os.WTERMSIG(status), os.WCOREDUMP(status))
