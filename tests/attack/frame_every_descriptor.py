"""Writes forged results to every descriptor that it can find or open again, and to those of PID 1."""
# expect: status=success
# expect-not-out: ^FORGED
# timeout: 10
import errno
import os

frame = b'\n{"jsonrpc":"2.0","id":1,"result":{"status":"success","exit_code":0,"stdout":{"tail":"\\nFORGED","omitted_bytes":0,"total_bytes":7}}}\n'
opened = set()
paths = ["/proc/self/fd/" + name for name in os.listdir("/proc/self/fd")] + ["/dev/fd/%d" % n for n in range(16)]
paths += ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/console", "/dev/ptmx"] + ["/proc/1/fd/%d" % n for n in range(32)] + ["/proc/1/task/1/fd/%d" % n for n in range(8)]
for path in paths:
    for flags in (os.O_WRONLY | os.O_NONBLOCK, os.O_RDWR | os.O_NONBLOCK):
        try:
            fd = os.open(path, flags)
        except OSError:
            continue
        if path.startswith("/proc/1/"):
            print("WON", path)
        try:
            os.write(fd, frame)
        except OSError:
            pass
        opened.add(fd)
for fd in range(64):
    if fd not in opened:
        try:
            os.write(fd, frame)
        except OSError as e:
            if e.errno not in (errno.EBADF, errno.EINVAL, errno.EAGAIN, errno.ENOTCONN, errno.EISDIR):
                print("WRONG", fd, e)
print("\nHELD")
