"""Writes a file into every directory that there is, outside the places that are ours."""
# expect: status=success
# timeout: 60
import errno
import os

ours = ("/tmp", "/workspace", "/dev/shm", "/dev/mqueue", "/proc")
right = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT)
tried = won = 0
for top, directories, _ in os.walk("/"):
    directories[:] = [d for d in directories if os.path.join(top, d) not in ours and not os.path.islink(os.path.join(top, d))]
    tried += 1
    path = os.path.join(top, "cordon-attack")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL))
        won += 1
        print("WON", path)
        os.unlink(path)
    except OSError as e:
        if e.errno not in right:
            print("WRONG", path, e)
print("HELD" if not won and tried > 100 else "WON", tried, "directories")
