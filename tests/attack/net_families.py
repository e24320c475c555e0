"""Opens sockets of every other address family: vsock to a hypervisor, the kernel's crypto, Bluetooth and the rest."""
# expect: status=success
import errno
import socket

for family in range(0, 50):
    if family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
        continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind)
            print("WON family", family, kind)
        except OSError as e:
            if e.errno not in (errno.EAFNOSUPPORT, errno.EPERM):
                print("WRONG", family, kind, e)
        try:
            socket.socketpair(family, kind)
            print("WON pair", family, kind)
        except OSError as e:
            if e.errno not in (errno.EAFNOSUPPORT, errno.EPERM):
                print("WRONG pair", family, kind, e)
print("HELD")
