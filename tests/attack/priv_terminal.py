"""Types into terminals (TIOCSTI) and talks to the console (TIOCLINUX)."""
# expect: status=success
import errno
import fcntl
import os
import pty

master, slave = pty.openpty()
for fd in (0, 1, 2, slave, master):
    for name, request in (("TIOCSTI", 0x5412), ("TIOCLINUX", 0x541C), ("TIOCCONS", 0x541D)):
        try:
            fcntl.ioctl(fd, request, b"x")
            print("WON", name, fd)
        except OSError as e:
            print("HELD" if e.errno in (errno.EPERM, errno.ENOTTY, errno.EIO, errno.EINVAL) or (name == "TIOCCONS" and e.errno == errno.EBUSY) else "WRONG", name, fd, e)
