"""Makes device files for the kernel's memory and the host's disks."""
# expect: status=success
import errno
import os
import stat

for place in ("/tmp", "/workspace", "/dev/shm", "/dev", "/dev/mqueue"):
    for name, kind, major, minor in (("mem", stat.S_IFCHR, 1, 1), ("kmsg", stat.S_IFCHR, 1, 11), ("sda", stat.S_IFBLK, 8, 0), ("vda", stat.S_IFBLK, 254, 0), ("fuse", stat.S_IFCHR, 10, 229)):
        try:
            os.mknod(place + "/" + name, kind | 0o666, os.makedev(major, minor))
            print("WON", place, name)
        except OSError as e:
            print("HELD" if e.errno in (errno.EPERM, errno.EACCES, errno.EROFS) else "WRONG", place, name, e)
