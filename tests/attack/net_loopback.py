"""Looks for services of the host on loopback: with a shared network namespace they would answer."""
# expect: status=success
import errno
import socket

won = 0
for port in (22, 25, 53, 80, 111, 443, 631, 2375, 2376, 3306, 5432, 5555, 6379, 8000, 8080, 8888, 9090, 9229, 11434, 27017):
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            with socket.socket(family) as s:
                s.settimeout(2)
                s.connect((host, port))
                print("WON", host, port)
                won += 1
        except OSError as e:
            if e.errno not in (errno.ECONNREFUSED, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETUNREACH):
                print("WRONG", host, port, e)
print("HELD" if not won else "WON")
