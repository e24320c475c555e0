"""Lets the kernel signal PID 1: as owner of a descriptor, of a socket's urgent data, of a lease, of a directory, of a terminal."""
# expect: status=success
import fcntl
import os
import pty
import signal
import socket
import time

for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGIO):
    signal.signal(number, signal.SIG_IGN)  # some of these come to us as well
reader, writer = os.pipe()
left, right = socket.socketpair()
for number in (0, signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
    for fd in (reader, left.fileno(), os.open("/tmp", os.O_RDONLY)):
        for owner in (1, -1):
            try:
                fcntl.fcntl(fd, fcntl.F_SETOWN, owner)
                fcntl.fcntl(fd, 10, number)  # F_SETSIG
                fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
            except OSError:
                pass
    try:
        fcntl.fcntl(os.open("/tmp", os.O_RDONLY), fcntl.F_NOTIFY, 0x80000004)
    except OSError:
        pass
    os.write(writer, b"x")
    right.send(b"x")
    open("/tmp/event", "w").close()
master, slave = pty.openpty()
try:
    fcntl.ioctl(master, 0x5410, b"\1\0\0\0")  # TIOCSPGRP
except OSError:
    pass
os.write(master, b"\x03\x1c\x1a")
time.sleep(0.3)
state = open("/proc/1/stat").read().rpartition(")")[2].split()[0]
print("HELD" if state in "SRD" else "WON", state)
