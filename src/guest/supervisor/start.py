"""PID 1: what happens between the loader and the supervisor's loop, in this order."""
import os
import _signal as signal

from . import libc_calls, probe, seccomp, worker_fork
from .last_words import last_words


def main(image_variables, preload, program):
    """`image_variables`: what the image sets, each as `NAME=value` before a NUL. `preload`: what a second worker imports (preloaded.py), or
    nothing. `program`: what the loader ran before us."""
    try:
        run_supervisor(image_variables, preload, program)
    except BaseException as failure:
        os.write(2, last_words("guest", failure))
        os._exit(70)


def run_supervisor(image_variables, preload, program):
    libc_calls.try_prctl(libc_calls.PR_SET_DUMPABLE, 0)
    lower_core_limit()
    quiet = ignore_signals()
    probed = probe.calls()
    own_filter = seccomp.install()
    worker = worker_fork.fork_worker(quiet, image_variables, program)
    second = worker_fork.fork_worker(quiet, image_variables, program, preload) if preload else None
    from . import supervisor
    supervisor.Supervisor(own_filter, worker, probed, second, preload).run()


def lower_core_limit():
    """No core dumps, not even to the program that the host's core_pattern may name: the kernel starts that one at a limit of 0, but not at 1.

    The filter keeps it there.
    """
    import resource
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if most != 0:
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))


def ignore_signals():
    """Every signal that can be ignored, except SIGCHLD. Returns their numbers."""
    ignored = []
    for number in range(1, signal.NSIG):
        if number != signal.SIGCHLD:
            try:
                signal.signal(number, signal.SIG_IGN)
                ignored.append(number)
            except (OSError, ValueError):
                pass  # SIGKILL, SIGSTOP and those that the C library keeps
    return ignored
