"""Raises its own limits, leaves its cgroup, makes a new one, and sets the release agent that would run on the host."""
# expect: status=success
import errno
import os

right = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT)
found = []
for top, directories, files in os.walk("/sys/fs/cgroup"):
    found += [os.path.join(top, name) for name in files]
    try:
        os.mkdir(top + "/x")
        print("WON", top)
    except OSError as e:
        if e.errno not in right:
            print("WRONG", e)
won = 0
for path in found:
    try:
        os.close(os.open(path, os.O_WRONLY))
        won += 1
        print("WON", path)
    except OSError as e:
        if e.errno not in right:
            print("WRONG", e)
print("HELD" if not won else "WON", len(found), "files")
