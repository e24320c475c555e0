"""Sends datagrams out: to a resolver, to a broadcast and to a multicast address."""
# expect: status=success
import errno
import socket

for address in (("8.8.8.8", 53), ("255.255.255.255", 67), ("224.0.0.251", 5353)):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            s.sendto(b"x", address)
            print("WON", address)
        except OSError as e:
            print("HELD" if e.errno in (errno.ENETUNREACH, errno.EACCES) else "WRONG", address, e)
