"""Makes raw and packet sockets, and the kernel's ping sockets."""
# expect: status=success
import errno
import socket

kinds = {"icmp": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP), "raw": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
         "icmp6": (socket.AF_INET6, socket.SOCK_RAW, 58), "packet": (socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
         "packet-dgram": (socket.AF_PACKET, socket.SOCK_DGRAM, 0x0300), "sock_packet": (socket.AF_INET, 10, 0x0300)}
for name, kind in kinds.items():
    try:
        socket.socket(*kind)
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT) else "WRONG", name, e)
try:
    ping = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    ping.sendto(b"\x08\x00\xf7\xff\x00\x00\x00\x00", ("1.1.1.1", 0))
    print("WON ping")
except OSError as e:
    print("HELD" if e.errno in (errno.EPERM, errno.EACCES, errno.ENETUNREACH) else "WRONG", "ping", e)
