"""Writes to what /proc lets one set of a process: OOM score, autogroup, timer slack, dump filter, referenced pages."""
# expect: status=success
import errno
import os

values = {"oom_score_adj": b"1000", "oom_adj": b"15", "autogroup": b"19", "timerslack_ns": b"1000000000", "coredump_filter": b"0", "clear_refs": b"1", "comm": b"x", "sched": b"0",
          "uid_map": b"0 0 1", "gid_map": b"0 0 1", "setgroups": b"deny", "loginuid": b"0", "attr/current": b"x", "timens_offsets": b"boottime 1 1", "projid_map": b"0 0 1"}
for task in ("/proc/1/", "/proc/1/task/1/"):
    for name, value in values.items():
        try:
            os.write(os.open(task + name, os.O_WRONLY), value)
            print("WON", name)
        except OSError as e:
            print("HELD" if e.errno in (errno.EACCES, errno.EPERM, errno.ENOENT, errno.EINVAL, errno.EROFS) else "WRONG", name, e)
