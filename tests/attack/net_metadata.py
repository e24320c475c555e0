"""Reaches for the metadata services of clouds, where credentials lie."""
# expect: status=success
import errno
import socket

for family, host in ((socket.AF_INET, "169.254.169.254"), (socket.AF_INET, "169.254.170.2"), (socket.AF_INET, "100.100.100.200"),
                     (socket.AF_INET6, "fd00:ec2::254")):
    try:
        with socket.socket(family) as s:
            s.settimeout(3)
            s.connect((host, 80))
            print("WON", host)
    except OSError as e:
        print("HELD" if e.errno in (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) else "WRONG", host, e)
