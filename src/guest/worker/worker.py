"""The worker, from its fork on: the one process that runs user code."""
import gc
import os
import sys
import _signal as signal

from . import libc_calls
from .last_words import last_words  # early: user code may break imports

CHANNEL = 3
KEPT_IGNORED = {signal.SIGPIPE, signal.SIGXFSZ}  # as every Python has it
BROKEN = 70


def main_of_fork(channel_fd, stdout_fd, stderr_fd, ignored_signals, home, preload):
    """Never returns: the stack below belongs to PID 1's copy of itself. `home`: how the image wants it (image.py), or None. `preload`: what
    it imports early (preloaded.py), or nothing."""
    def prepare():
        give_up_the_host(channel_fd, stdout_fd, stderr_fd)
        restore_signals(ignored_signals)
        become_ordinary()
        shut_in()
        if home is not None:
            home.enter()  # which does not come back where the image has a Python of its own
    run(prepare, preload)


def main_of_own_python(preload):
    """In a Python that was executed for it: files, signals and the rest came along."""
    def prepare():
        os.set_inheritable(CHANNEL, False)
        if sys.path[:1] == [""]:
            del sys.path[0]  # the interpreter puts it there
    run(prepare, preload)


def run(prepare, preload):
    try:
        gc.disable()  # until all is imported: nothing of that is garbage
        prepare()
        from . import streams
        streams.install()
        from . import interpreter  # and with it everything that user code will find imported
        interpreter.serve(CHANNEL, preload.decode())
    except BaseException as failure:
        os.write(2, last_words("the interpreter broke", failure))
    finally:
        os._exit(BROKEN)


def give_up_the_host(channel_fd, stdout_fd, stderr_fd):
    """0 is empty, 1 and 2 are pipes, 3 is the channel; nothing else stays open."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(stdout_fd, 1)
    os.dup2(stderr_fd, 2)
    if channel_fd != CHANNEL:
        os.dup2(channel_fd, CHANNEL, inheritable=False)  # an execve of ours lets it through itself
    for fd in map(int, os.listdir("/proc/self/fd")):  # the limit may be a thousand million: too many to try
        if fd > CHANNEL:
            try:
                os.close(fd)
            except OSError:
                pass  # the one that listed the directory


def restore_signals(ignored):
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in ignored:
        if number not in KEPT_IGNORED:
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def shut_in():
    """Behind Landlock. PID 1 is told how that went: it stays outside, so that it need not write what code may."""
    from . import landlock, wire
    os.write(CHANNEL, wire.notification("landlock", landlock.enter()))


def become_ordinary():
    """May be inspected like any process, and is the first that the kernel ends when memory is short."""
    libc_calls.try_prctl(libc_calls.PR_SET_DUMPABLE, 1)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
    sys.dont_write_bytecode = True
