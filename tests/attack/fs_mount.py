"""Mounts new file systems, by the old call and by the new ones."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
calls = {kind: (lambda kind=kind: libc.mount(b"none", b"/tmp", kind.encode(), 0, None))
         for kind in ("tmpfs", "proc", "sysfs", "cgroup", "cgroup2", "devpts", "overlay", "fuse", "bpf", "debugfs", "ext4", "nfs")}
calls.update({
    "fsopen": lambda: libc.syscall(430, b"tmpfs", 0), "fspick": lambda: libc.syscall(433, -100, b"/tmp", 0), "fsconfig": lambda: libc.syscall(431, 3, 6, None, None, 0),
    "fsmount": lambda: libc.syscall(432, 3, 0, 0), "open_tree": lambda: libc.syscall(428, -100, b"/", 1), "move_mount": lambda: libc.syscall(429, -100, b"/tmp", -100, b"/dev/shm", 0),
    "mount_setattr": lambda: libc.syscall(442, -100, b"/", 0, b"\0" * 32, 32), "open_tree_attr": lambda: libc.syscall(467, -100, b"/", 1, b"\0" * 32, 32),
})
for name, call in calls.items():
    ctypes.set_errno(0)
    result, code = call(), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code in (errno.EPERM, errno.ENOSYS) else "WRONG", name, os.strerror(code))
