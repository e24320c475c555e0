"""PID 1, before its own filter: which system calls the engine's profile lets through. A count of filters says nothing of what they do.

The calls are those that engines' default profiles refuse to a container without capabilities. Their arguments are such that the
kernel itself never answers EPERM or ENOSYS, and does nothing: it finds fault with them before it looks at privileges.
"""
import os

from . import libc_calls

EPERM, ENOSYS = 1, 38
BAD = 0xFFFFFFFF
NO_RANDOM_ADDRESSES = 0x0040000  # an address space that is not shuffled; profiles allow few personalities
COLUMNS = {"x86_64": 0, "aarch64": 1}

# name: x86-64, aarch64, arguments, the kernel's own answer
CALLS = {
    "mount": (165, 40, (None, None, None, 0, None), "EFAULT"),
    "umount2": (166, 39, (None, BAD), "EINVAL"),
    "setns": (308, 268, (BAD, 0), "EBADF"),
    "unshare": (272, 97, (1,), "EINVAL"),
    "open_tree": (428, 428, (BAD, None, BAD), "EINVAL"),
    "mount_setattr": (442, 442, (BAD, None, BAD, None, 0), "EINVAL"),
    "perf_event_open": (298, 241, (None, 0, 0, BAD, BAD), "EINVAL"),
    "keyctl": (250, 219, (0xFFFF, 0, 0, 0, 0), "EOPNOTSUPP"),
    "add_key": (248, 217, (None, None, None, 0, 0), "EFAULT"),
    "request_key": (249, 218, (None, None, None, 0), "EFAULT"),
    "settimeofday": (164, 170, (BAD << 32 | BAD, None), "EFAULT"),
    "clock_settime": (227, 112, (0x7FFF, None), "EINVAL"),
    "move_pages": (279, 239, (0, 0, None, None, None, BAD), "EINVAL"),
    "migrate_pages": (256, 238, (0, BAD, None, None), "EINVAL"),
    "quotactl": (179, 60, (0xFF, None, 0, None), "EINVAL"),
    "personality": (135, 92, (NO_RANDOM_ADDRESSES,), "success"),
}


def calls():
    """Name → `refused` or `allowed`; nothing where it cannot be tried."""
    column = COLUMNS.get(os.uname().machine)
    if column is None or libc_calls.libc is None:
        return {}
    found = {name: "allowed" if gets_through(numbers[column], numbers[2]) else "refused" for name, numbers in CALLS.items()}
    if found["personality"] == "allowed":
        gets_through(CALLS["personality"][column], (0,))  # back to what it was
    return found


def gets_through(number, arguments):
    ctypes = libc_calls.ctypes
    words = [ctypes.c_void_p(word) for word in arguments]
    ctypes.set_errno(0)
    return libc_calls.libc.syscall(ctypes.c_long(number), *words) != -1 or ctypes.get_errno() not in (EPERM, ENOSYS)
