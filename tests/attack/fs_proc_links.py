"""Walks out through the magic links of /proc: PID 1's root, working directory, program and mappings; and up from the root."""
# expect: status=success
import errno
import os

for path in ("/proc/1/root/etc/passwd", "/proc/1/cwd/.", "/proc/1/exe", "/proc/1/ns/mnt", "/proc/1/task/1/root/etc", "/proc/1/task/1/cwd/."):
    for attempt in (os.stat, lambda p: os.open(p, os.O_PATH), os.listdir, os.readlink):
        try:
            attempt(path)
            print("WON", path)
        except OSError as e:
            if e.errno not in (errno.EACCES, errno.EPERM, errno.EINVAL, errno.ENOTDIR):
                print("WRONG", e)
try:
    print("WON", os.listdir("/proc/1/map_files"))
except OSError as e:
    print("HELD" if e.errno in (errno.EACCES, errno.EPERM, errno.ENOENT) else "WRONG", e)
same = os.stat("/../../../..").st_ino == os.stat("/").st_ino and os.listdir("/..") == os.listdir("/")
print("HELD" if same else "WON")
