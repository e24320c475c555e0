"""Connects over IPv6, link-local, too, and by every scope that there is."""
# expect: status=success
import errno
import socket

if not socket.has_ipv6:
    print("HELD no IPv6 in this Python")
right = (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EINVAL, errno.ENODEV, errno.EAFNOSUPPORT, errno.EHOSTUNREACH)
for address in ("2606:4700:4700::1111", "fd00::1", "fe80::1", "ff02::1", "::ffff:1.1.1.1"):
    for scope in [0] + [index for index, _ in socket.if_nameindex()]:
        try:
            with socket.socket(socket.AF_INET6) as s:
                s.settimeout(3)
                s.connect((address, 80, 0, scope))
                print("WON", address, scope)
        except OSError as e:
            print("HELD" if e.errno in right else "WRONG", address, scope, e)
