"""Changes interfaces, addresses and routes through netlink, and opens the other netlink families."""
# expect: status=success
import errno
import socket
import struct

RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE = 16, 20, 24
REQUEST_ACK_CREATE = 1 | 4 | 0x400


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


veth = struct.pack("=BxHiII", 0, 0, 0, 0, 0) + attribute(3, b"x0\0") + attribute(18, attribute(1, b"dummy"))
address = struct.pack("=BBBBi", socket.AF_INET, 8, 0, 0, 1) + attribute(2, b"\x0a\0\0\1") + attribute(1, b"\x0a\0\0\1")
route = struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, 254, 3, 253, 1, 0) + attribute(4, struct.pack("=i", 1))
for name, kind, body in (("a new link", RTM_NEWLINK, veth), ("an address", RTM_NEWADDR, address), ("a default route", RTM_NEWROUTE, route)):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
        s.settimeout(3)
        s.sendall(struct.pack("=IHHII", 16 + len(body), kind, REQUEST_ACK_CREATE, 1, 0) + body)
        code = -struct.unpack_from("=i", s.recv(4096), 16)[0]
    print("HELD" if code == errno.EPERM else "WON" if code == 0 else "WRONG", name, errno.errorcode.get(code, code))
for family in range(1, 23):
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family)
        print("WON netlink family", family)
    except OSError as e:
        print("HELD" if e.errno in (errno.EAFNOSUPPORT, errno.EPERM, errno.EPROTONOSUPPORT) else "WRONG", family, e)
