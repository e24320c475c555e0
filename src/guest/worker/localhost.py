"""The worker: `localhost` and the container's own name are this machine, also where the image has no /etc/hosts that says so.

There is no network and no name server, and a mount for such a file would be one more thing to trust. So what the C library does
not find is answered here: for Python's own functions, in this process and in those that are forked from it.
"""
from . import patching

LOOPBACK, LOOPBACK6 = "127.0.0.1", "::1"
SUFFIX = ".localhost"


def install():
    patching.after_import("socket", patch)


def patch(socket):
    failure = socket.gaierror
    plain_getaddrinfo, plain_by_address = socket.getaddrinfo, socket.gethostbyaddr

    def here(host):
        name = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
        if not isinstance(name, str):
            return False
        name = name.rstrip(".").lower()
        return name in ("localhost", "localhost.localdomain", "ip6-localhost", socket.gethostname().lower()) or name.endswith(SUFFIX)

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        try:
            return plain_getaddrinfo(host, port, family, type, proto, flags)
        except failure:
            if not here(host) or flags & socket.AI_NUMERICHOST:
                raise
        found = plain_getaddrinfo(LOOPBACK6 if family == socket.AF_INET6 else LOOPBACK, port, family, type, proto, flags)
        return [each[:3] + (str(host) if flags & socket.AI_CANONNAME else each[3],) + each[4:] for each in found]

    def by_name(name, answer):
        plain = getattr(socket, name)

        def wrapper(hostname):
            try:
                return plain(hostname)
            except failure:
                if not here(hostname):
                    raise
                return answer(hostname)
        setattr(socket, name, patching.like(plain, wrapper))

    def gethostbyaddr(address):
        try:
            return plain_by_address(address)
        except OSError:
            if address not in (LOOPBACK, LOOPBACK6) and not here(address):
                raise
            return "localhost", [], [LOOPBACK6 if address == LOOPBACK6 else LOOPBACK]

    socket.getaddrinfo = patching.like(plain_getaddrinfo, getaddrinfo)
    socket.gethostbyaddr = patching.like(plain_by_address, gethostbyaddr)
    by_name("gethostbyname", lambda name: LOOPBACK)
    by_name("gethostbyname_ex", lambda name: (name, [], [LOOPBACK]))
    for method in ("bind", "connect", "connect_ex", "sendto"):
        patch_method(socket, method, here)


def patch_method(socket, method, here):
    """Their last argument is the address; names in it are looked up by C."""
    plain = getattr(socket.socket, method)

    def wrapper(self, *arguments):
        try:
            return plain(self, *arguments)
        except socket.gaierror:
            address = arguments[-1] if arguments else None
            if not isinstance(address, tuple) or not address or not here(address[0]):
                raise
        loopback = LOOPBACK6 if self.family == socket.AF_INET6 else LOOPBACK
        return plain(self, *arguments[:-1], (loopback, *address[1:]))
    setattr(socket.socket, method, patching.like(plain, wrapper))
