"""Reads what is none of ours: hashed passwords, the kernel's memory, symbols and log, keys, timers, firmware, other users' files."""
# expect: status=success
import errno
import os

for path in ("/etc/shadow", "/etc/gshadow", "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats", "/proc/vmallocinfo", "/proc/slabinfo", "/proc/pagetypeinfo",
             "/sys/firmware/acpi/tables/DSDT", "/sys/kernel/debug/sched/debug", "/sys/kernel/security/lsm", "/sys/kernel/tracing/trace", "/root/.ssh/id_rsa", "/root/.bashrc",
             "/run/secrets/rhsm", "/proc/1/environ", "/proc/1/auxv", "/proc/1/stack", "/proc/1/syscall"):
    try:
        data = open(path, "rb").read(64)
        print("HELD" if not data else "WON", path, data)
    except OSError as e:
        print("HELD" if e.errno in (errno.EACCES, errno.EPERM, errno.ENOENT, errno.EIO) else "WRONG", e)
with open("/proc/kallsyms") as file:
    addresses = {line.split()[0].strip("0") for line, _ in zip(file, range(200))}
print("HELD" if addresses <= {""} else "WON kernel addresses")
