"""Looks for anything of the host's in the mounts: a disk that is mounted, a home, a socket, a file that may be written."""
# expect: status=success
import os

allowed = {"/etc/hosts", "/etc/resolv.conf", "/etc/hostname", "/etc/passwd", "/etc/group", "/run/.containerenv", "/run/secrets", "/etc/machine-id"}
virtual = {"proc", "sysfs", "tmpfs", "devpts", "mqueue", "cgroup", "cgroup2", "overlay", "devtmpfs", "ramfs", "fuse.fuse-overlayfs"}
for line in open("/proc/self/mountinfo"):
    fields = line.split()
    at, options, kind = fields[4], fields[5].split(","), fields[fields.index("-") + 1]
    if kind not in virtual and at not in allowed and at != "/":
        print("WON", line)
    if kind not in virtual and "rw" in options:
        print("WON", line)
    if at == "/" and "rw" in options:
        print("WON", line)
homes = [name for name in os.listdir("/home")] if os.path.isdir("/home") else []
print("HELD" if not homes else "WON %s" % homes)
