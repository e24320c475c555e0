"""PID 1: what happens between the loader and the supervisor's loop, in this order."""
import os
import _signal as signal

from . import birth, kernel, probe, seccomp


def main(image_variables, program):
    """`image_variables`: what the image sets, each as `NAME=value` before a NUL. `program`: what the loader ran before us."""
    try:
        begin(image_variables, program)
    except BaseException as failure:  # the last words of a guest that broke: one line, whatever it was
        os.write(2, ("guest: %s: %s at %s\n" % (type(failure).__name__, failure, places(failure))).encode("utf-8", "replace"))
        os._exit(70)


def begin(image_variables, program):
    kernel.try_prctl(kernel.PR_SET_DUMPABLE, 0)
    lower_core_limit()
    quiet = ignore_signals()
    probed = probe.calls()
    own_filter = seccomp.install()
    worker = birth.fork_worker(quiet, image_variables, program)
    from . import supervisor
    supervisor.Supervisor(own_filter, worker, probed).run()


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


def places(failure):
    """Where it was raised, as `file:line` from the outermost frame in."""
    found, trace = [], failure.__traceback__
    while trace is not None:
        found.append("%s:%d" % (trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return " ".join(found[-6:])
