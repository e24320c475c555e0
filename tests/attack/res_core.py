"""Dies with a core dump, after asking for one of any size: also of none, at which a host's own handler of them is started all the same."""
# expect: status=success
import os
import resource
import signal

before = resource.getrlimit(resource.RLIMIT_CORE)
for size in (resource.RLIM_INFINITY, 4096, 0):
    for call in (resource.setrlimit, lambda kind, sizes: resource.prlimit(0, kind, sizes)):
        try:
            call(resource.RLIMIT_CORE, (size, size))
            said = "told that it was done"
        except (OSError, ValueError) as e:
            said = str(e)
        now = resource.getrlimit(resource.RLIMIT_CORE)
        print("HELD" if now == before else "WON", size, said, now)
for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
    pid = os.fork()
    if pid == 0:
        os.chdir("/tmp")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    status = os.waitpid(pid, 0)[1]
    cores = [name for place in ("/tmp", "/workspace", "/dev/shm") for name in os.listdir(place) if name.startswith("core")]
    print("WON" if cores else "HELD", os.WTERMSIG(status), os.WCOREDUMP(status))
