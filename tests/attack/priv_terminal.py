"""Types into terminals (TIOCSTI), talks to the console (TIOCLINUX), loads line disciplines into the kernel (TIOCSETD)."""
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
for discipline in list(range(1, 31)):
    try:
        fcntl.ioctl(slave, 0x5423, bytes([discipline, 0, 0, 0]))
        print("WON discipline", discipline)
    except OSError as e:
        print("HELD" if e.errno == errno.EPERM else "WRONG", "discipline", discipline, e)
