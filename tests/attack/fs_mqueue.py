"""Fills message queues, the one place to write that engines add by themselves."""
# expect: status=success
# expect-out: ^HELD
import ctypes
import errno
import os

libc = ctypes.CDLL("librt.so.1", use_errno=True)
made, code = 0, 0
attributes = (ctypes.c_long * 8)(0, 10, 8192)
while made < 100_000:
    queue = libc.mq_open(b"/q%d" % made, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o600, attributes)
    code = ctypes.get_errno()
    if queue < 0:
        break
    while libc.mq_send(queue, b"x" * 8192, 8192, 0) == 0:
        pass
    made += 1
print("HELD" if code in (errno.EMFILE, errno.ENOSPC, errno.ENOMEM) and made < 2000 else "WON", made, os.strerror(code))
