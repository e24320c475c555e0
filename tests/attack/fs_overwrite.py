"""Opens existing files for writing: programs, libraries, users, the engine's binds."""
# expect: status=success
import errno
import os
import sys

paths = ["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/ld.so.preload", "/etc/ld.so.cache", "/run/.containerenv",
         os.path.realpath(sys.executable), os.__file__, "/bin/sh", "/proc/1/comm"]
for path in paths:
    for flags in (os.O_WRONLY, os.O_RDWR | os.O_APPEND, os.O_WRONLY | os.O_TRUNC):
        try:
            os.open(path, flags)
            print("WON", path)
        except OSError as e:
            if e.errno not in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ETXTBSY):
                print("WRONG", e)
    for change in (lambda: os.chmod(path, 0o777), lambda: os.rename(path, path + "x"), lambda: os.link(path, "/tmp/l"), lambda: os.utime(path), lambda: os.unlink(path)):
        try:
            change()
            print("WON", path)
        except OSError as e:
            if e.errno not in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.EXDEV, errno.EBUSY):
                print("WRONG", e)
print("HELD")
