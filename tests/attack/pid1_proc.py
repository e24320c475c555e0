"""Reads and writes PID 1 through /proc: memory, descriptors, environment, of each of its threads."""
# expect: status=success
import errno
import os

names = ("mem", "maps", "smaps", "environ", "fd", "fd/0", "fd/1", "fdinfo", "auxv", "stack", "syscall", "io", "pagemap", "map_files", "ns", "personality", "wchan_")
for task in ["/proc/1"] + ["/proc/1/task/" + name for name in os.listdir("/proc/1/task")]:
    for name in names:
        path = task + "/" + name
        for flags in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY):
            try:
                fd = os.open(path, flags)
                data = os.listdir(fd) if os.path.isdir(path) else os.read(fd, 16)
                if data and name != "wchan":
                    print("WON", path, data)
            except OSError as e:
                if e.errno not in (errno.EACCES, errno.EPERM, errno.ENOENT, errno.EISDIR, errno.EIO, errno.EINVAL):
                    print("WRONG", path, e)
print("HELD")
