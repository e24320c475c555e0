"""PID 1: reads the worker's two output pipes. Always, and at once: a program never waits for the host to print."""
import fcntl
import os

from .wire import READ

FIONREAD = 0x541B


class Pipes:
    """`output_fds` maps each descriptor that is still open to its stream's name."""

    def __init__(self, output_fds):
        self.output_fds = output_fds

    def read(self, fd):
        """(stream, bytes) of one read; the bytes may be none."""
        name = self.output_fds[fd]
        try:
            data = os.read(fd, READ)
        except BlockingIOError:
            return name, b""
        if not data:  # every writer has closed it
            del self.output_fds[fd]
            os.close(fd)
        return name, data

    def lying_now(self):
        """Yields what lies in the pipes now, and no more: a process left behind may print for ever."""
        for fd in list(self.output_fds):
            left = available(fd)
            while left > 0 and fd in self.output_fds:
                name, data = self.read(fd)
                left -= len(data)
                if not data:
                    break
                yield name, data


def available(fd):
    """How many bytes a read would give at once."""
    try:
        return int.from_bytes(fcntl.ioctl(fd, FIONREAD, b"\0\0\0\0"), "little")
    except OSError:
        return 0
