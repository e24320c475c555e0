"""Asks for transport protocols that the host's kernel would load for it: SCTP, DCCP, L2TP, UDP-Lite, MPTCP and all the others."""
# expect: status=success
import errno
import socket

usual = {0, 1, 6, 17, 58}
for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, 4, 6):
        for protocol in set(range(256)) - usual | {262}:
            try:
                socket.socket(family, kind, protocol)
                print("WON", family, kind, protocol)
            except OSError as e:
                if e.errno not in (errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT, errno.EPERM, errno.EINVAL, errno.EAFNOSUPPORT):
                    print("WRONG", family, kind, protocol, e)
# A program's own traffic on loopback goes on.
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5) as client:
    client.sendall(b"x")
    print("HELD" if server.accept()[0].recv(1) == b"x" else "WRONG")
