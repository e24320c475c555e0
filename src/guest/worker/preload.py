"""The worker: what programs commonly import, imported while the container is warm and nobody waits."""
import select
import sys

COMMON = ("math", "time", "itertools", "functools", "enum", "string", "textwrap", "datetime", "typing", "dataclasses", "random", "pathlib",
          "tempfile", "shutil", "subprocess", "asyncio")


def asyncio_of_python():
    """A loop for programs with top-level await. A program's own file of the name asyncio.py is not taken for Python's."""
    path = sys.path[:]
    sys.path[:] = [place for place in path if place]
    try:
        from .loops import MainLoop
    finally:
        sys.path[:] = path
    return MainLoop()


def all_common():
    for name in COMMON:
        try:
            __import__(name)
        except ImportError:
            pass  # a Python that was built without it


def while_idle(fd):
    """One after the other, until something comes from the host; False where that was at once."""
    waiting = select.poll()
    waiting.register(fd, select.POLLIN)
    for name in COMMON:
        if waiting.poll(0):
            return name != COMMON[0]
        try:
            __import__(name)
        except ImportError:
            pass  # a Python that was built without it
    return True
