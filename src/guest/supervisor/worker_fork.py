"""PID 1: makes the worker, before anything else is imported here: the two then get ready side by side."""
import fcntl
import os
import sys
import _socket

PIPE_BYTES = 1 << 20
F_SETPIPE_SZ = 1031


class Worker:
    """The forked process as PID 1 holds it: its pid, our end of the socket pair, the reading ends of its output pipes."""

    def __init__(self, pid, channel_fd, output_fds, home, preload):
        self.pid = pid
        self.channel_fd = channel_fd
        self.output_fds = output_fds  # descriptor → `stdout` or `stderr`
        self.facts = home.facts() if home else {"python": sys.executable, "executed": False, "variables": []}
        self.first = home.program(preload) if home and home.python else None  # what it is to be sent before all else


def fork_worker(ignored_signals, image_variables, program, preload=b""):
    home = None
    if image_variables:
        from . import image
        home = image.Home(image_variables, program)
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    channel_fd, worker_channel_fd = ours.detach(), theirs.detach()
    pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(2)]
    for _, writer in pipes:
        try:
            fcntl.fcntl(writer, F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            pass  # more than this user may have; the smaller pipe works as well
    pid = os.fork()
    if pid == 0:
        from . import worker
        worker.main_of_fork(worker_channel_fd, pipes[0][1], pipes[1][1], ignored_signals, home, preload)
    os.close(worker_channel_fd)
    for fd in (channel_fd, pipes[0][0], pipes[1][0]):
        os.set_blocking(fd, False)
    for _, writer in pipes:
        os.close(writer)
    return Worker(pid, channel_fd, {pipes[0][0]: "stdout", pipes[1][0]: "stderr"}, home, preload)
