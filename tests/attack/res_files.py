"""Opens descriptors until it may not, and raises the limit that stops it."""
# expect: status=success
import errno
import os
import resource

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
    print("WON")
except (OSError, ValueError) as e:
    print("HELD", e)
fds = []
try:
    while len(fds) < 1_000_000:
        fds.append(os.open("/dev/null", os.O_RDONLY))
    print("WON", len(fds))
except OSError as e:
    for fd in fds:
        os.close(fd)
    print("HELD" if e.errno == errno.EMFILE and len(fds) <= 1024 else "WON", len(fds), e)
