"""Asks for names: of the internet, of the host, of the engine's own host entry."""
# expect: status=success
# timeout: 40
import socket

for name in ("example.com", "host.containers.internal", "host.docker.internal", "gateway.docker.internal"):
    try:
        addresses = {entry[4][0] for entry in socket.getaddrinfo(name, 80)}
    except socket.gaierror as e:
        print("HELD", name, e)
        continue
    # A name in /etc/hosts is harmless as long as nothing can be reached there.
    for address in addresses:
        try:
            socket.create_connection((address, 80), 2).close()
            print("WON", name, address)
        except OSError as e:
            print("HELD", name, address, e)
