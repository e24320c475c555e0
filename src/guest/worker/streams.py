"""The worker: sys.stdin, sys.stdout and sys.stderr over fds 0, 1 and 2.

Everything written goes out at once, so that prints, `os.write(1, …)`, C extensions and child processes keep their order.
"""
import io
import sys

from . import libc_calls


buffered_write, flush = io.BufferedWriter.write, io.BufferedWriter.flush


class Unbuffered(io.BufferedWriter):
    """A real buffer (whole writes, `.raw`, `.detach`) that is empty after each write."""

    def write(self, data):
        count = buffered_write(self, data)
        flush(self)
        return count


def install():
    libc_calls.unbuffer_c_stdio()
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(raw(0, "r", "<stdin>")), encoding="utf-8",
                                                 errors="surrogateescape")
    sys.stdout = sys.__stdout__ = writer(1, "<stdout>")
    sys.stderr = sys.__stderr__ = writer(2, "<stderr>")
    sys.stdin.mode = "r"


def raw(fd, mode, name):
    file = io.FileIO(fd, mode, closefd=False)
    file.name = name
    return file


def writer(fd, name):
    # A lone surrogate is shown as an escape: printing it must not be an error.
    stream = io.TextIOWrapper(Unbuffered(raw(fd, "w", name)), encoding="utf-8", errors="backslashreplace", newline="\n",
                              write_through=True)
    stream.mode = "w"
    return stream
