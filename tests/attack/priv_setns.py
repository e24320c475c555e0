"""Joins the namespaces of PID 1 and of itself, by file and by pidfd, and runs the tools that do so."""
# expect: status=success
import ctypes
import errno
import os
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
for pid in (1, os.getpid()):
    for name in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup"):
        try:
            fd = os.open("/proc/%d/ns/%s" % (pid, name), os.O_RDONLY)
        except OSError as e:
            print("HELD" if e.errno == errno.EACCES else "WRONG", name, e)
            continue
        if pid == 1:
            print("WON", name)
        ctypes.set_errno(0)
        result, code = libc.setns(fd, 0), ctypes.get_errno()
        print("WON" if result == 0 else "HELD" if code == errno.EPERM else "WRONG", name, os.strerror(code))
ctypes.set_errno(0)
result, code = libc.setns(libc.syscall(434, 1, 0), 0x7E020000), ctypes.get_errno()
print("WON" if result == 0 else "HELD" if code == errno.EPERM else "WRONG", "pidfd", os.strerror(code))
for command in (["unshare", "-Ur", "id"], ["nsenter", "-t", "1", "-a", "id"], ["bwrap", "--ro-bind", "/", "/", "id"]):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
        print("WON" if done.returncode == 0 else "HELD", command[0], done.stderr.strip())
    except FileNotFoundError:
        print("HELD no", command[0])
