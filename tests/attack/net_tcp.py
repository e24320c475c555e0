"""Opens TCP connections to the internet, to private networks and to the usual gateways."""
# expect: status=success
import errno
import socket

for address in (("1.1.1.1", 443), ("10.0.0.1", 80), ("172.17.0.1", 22), ("192.168.1.1", 80), ("10.0.2.2", 22), ("192.168.127.254", 80)):
    with socket.socket() as s:
        s.settimeout(3)
        try:
            s.connect(address)
            print("WON", address)
        except OSError as e:
            print("HELD" if e.errno == errno.ENETUNREACH else "WRONG", address, e)
