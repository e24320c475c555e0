"""PID 1: facts about the confinement as seen from inside, after the filter is in force. The host judges them."""
import os
import stat
import sys

from . import libc_calls
from .cgroup import read_text

DIRECTORIES = ("/", "/bin", "/boot", "/dev", "/dev/mqueue", "/dev/shm", "/etc", "/home", "/lib", "/media", "/mnt",
               "/opt", "/proc", "/root", "/run", "/run/lock", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/local",
               "/usr/local/lib", "/var", "/var/cache", "/var/lib", "/var/lock", "/var/log", "/var/mail", "/var/run",
               "/var/spool", "/var/tmp", "/workspace")

MASKED = ("/proc/acpi", "/proc/asound", "/proc/bus", "/proc/fs", "/proc/interrupts", "/proc/irq", "/proc/kcore",
          "/proc/key-users", "/proc/keys", "/proc/kmsg", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
          "/proc/sys/fs/binfmt_misc/register", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe",
          "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/timer_list", "/proc/timer_stats",
          "/sys/devices/virtual/powercap", "/sys/firmware", "/sys/fs/bpf", "/sys/fs/selinux", "/sys/kernel/debug",
          "/sys/kernel/security", "/sys/kernel/tracing", "/sys/kernel/uevent_helper", "/sys/power/state")

# By number, the same on x86-64 and ARM: Python has no names for some.
RLIMITS = {"cpu": 0, "fsize": 1, "data": 2, "stack": 3, "core": 4, "rss": 5, "nproc": 6, "nofile": 7, "memlock": 8, "as": 9, "locks": 10,
           "sigpending": 11, "msgqueue": 12, "nice": 13, "rtprio": 14, "rttime": 15}

STATUS_FIELDS = {"CapInh": "cap_inh", "CapPrm": "cap_prm", "CapEff": "cap_eff", "CapBnd": "cap_bnd",
                 "CapAmb": "cap_amb"}
STATUS_NUMBERS = {"NoNewPrivs": "no_new_privs", "Seccomp": "seccomp", "Seccomp_filters": "seccomp_filters"}


def collect(own_filter, probed, mount_list, group):
    """All facts (README.md, "The attestation")."""
    facts = {
        "pid": os.getpid(), "uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(),
        "uid_map": id_map("/proc/self/uid_map"), "gid_map": id_map("/proc/self/gid_map"),
        "own_filter": own_filter, "probed": probed, "dumpable": libc_calls.try_prctl(libc_calls.PR_GET_DUMPABLE), "proc_owner": owner("/proc/self/fd"), "mounts": mount_list,
        "interfaces": interfaces(), "routes": routes(), "cgroup": group.limits(),
        "rlimits": rlimits(), "lsm_label": lsm_label(), "devices": devices(), "writable": writable(mount_list), "secrets": files_below("/run/secrets"),
        "environment": dict(os.environ), "masked": {path: visibility(path) for path in MASKED}, "cwd": os.getcwd(),
        "hostname": os.uname().nodename, "arch": os.uname().machine, "kernel": os.uname().release,
        "emulated_by": emulation(), "total_memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "python": "%d.%d.%d" % sys.version_info[:3],
    }
    facts.update(status())
    return facts


def status():
    facts = dict.fromkeys(list(STATUS_FIELDS.values()) + list(STATUS_NUMBERS.values()))
    for line in (read_text("/proc/self/status") or "").splitlines():
        key, _, value = line.partition(":")
        if key in STATUS_FIELDS:
            facts[STATUS_FIELDS[key]] = value.strip()
        elif key in STATUS_NUMBERS:
            facts[STATUS_NUMBERS[key]] = int(value)
    if facts["no_new_privs"] is None:  # gVisor's /proc does not say
        facts["no_new_privs"] = libc_calls.try_prctl(libc_calls.PR_GET_NO_NEW_PRIVS)
    return facts


def owner(path):
    """Its uid; of what cannot be dumped, Linux gives all in /proc to root."""
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def emulation():
    """Whose kernel answers, where it is not Linux: its own name, or nothing."""
    said = os.uname().release + (read_text("/proc/cmdline") or "")  # the one or the other, by gVisor's age
    return "gVisor" if "gvisor" in said else ""


def id_map(path):
    return [[int(word) for word in line.split()] for line in (read_text(path) or "").splitlines()]


def interfaces():
    lines = (read_text("/proc/net/dev") or "").splitlines()[2:]
    return [line.partition(":")[0].strip() for line in lines]


def routes():
    found = [line for line in (read_text("/proc/net/route") or "").splitlines()[1:] if line.split()[:1] != ["lo"]]
    return found + [line for line in (read_text("/proc/net/ipv6_route") or "").splitlines()
                    if line.split()[-1:] != ["lo"]]


def rlimits():
    import resource
    found = {}
    for name, kind in RLIMITS.items():
        try:
            found[name] = list(resource.getrlimit(kind))
        except (OSError, ValueError):
            pass  # a kernel that is not Linux may lack some
    return found


def lsm_label():
    """What AppArmor, SELinux or another module of the kernel's calls us; empty where none does."""
    try:
        with open("/proc/self/attr/current", encoding="utf-8", errors="replace") as file:
            return file.read(300).strip("\0\n ")
    except OSError as failure:
        return "" if failure.errno in (2, 22) else "not readable: " + failure.strerror  # no such file; no module that has labels


def devices(top="/dev", depth=3):
    """What is neither a directory nor a symlink nor a plain file under /dev."""
    found = []
    try:
        entries = list(os.scandir(top))
    except OSError:
        return found
    for entry in entries:
        try:
            facts = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        kind = {stat.S_IFCHR: "char", stat.S_IFBLK: "block", stat.S_IFIFO: "fifo",
                stat.S_IFSOCK: "socket"}.get(stat.S_IFMT(facts.st_mode))
        if kind:
            found.append({"name": entry.path, "kind": kind, "major": os.major(facts.st_rdev),
                          "minor": os.minor(facts.st_rdev)})
        elif stat.S_ISDIR(facts.st_mode) and depth > 0:
            found += devices(entry.path, depth - 1)
    return found


def files_below(top, depth=4, most=20):
    """The first few, relative to it."""
    found, todo = [], [("", depth)]
    while todo and len(found) < most:
        place, left = todo.pop()
        try:
            entries = sorted(os.listdir(os.path.join(top, place)))
        except OSError:
            continue
        for name in entries:
            path = os.path.join(place, name)
            if left and os.path.isdir(os.path.join(top, path)):
                todo.append((path, left - 1))
            elif os.path.isfile(os.path.join(top, path)):
                found.append(path)
    return found[:most]


def writable(mount_list):
    """Directories in which a file could be made, and plain files among the mounts that could be written."""
    places = sorted({mount["at"] for mount in mount_list} | set(DIRECTORIES))
    return [place for place in places if can_write(place)]


def can_write(place):
    try:
        mode = os.stat(place).st_mode
    except OSError:
        return False
    if stat.S_ISREG(mode):
        return os.access(place, os.W_OK)
    if not stat.S_ISDIR(mode) or not os.access(place, os.W_OK | os.X_OK):
        return False
    name = place.rstrip("/") + "/.cordon-probe"  # what access() allows, /proc and some others still refuse
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        os.unlink(name)
    except OSError:
        return False
    return True


def visibility(path):
    """absent, empty, denied, readable or writable."""
    try:
        mode = os.stat(path).st_mode
        if os.access(path, os.W_OK) and not stat.S_ISCHR(mode):
            return "writable"
        if stat.S_ISDIR(mode):
            return "readable" if os.listdir(path) else "empty"
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return "readable" if os.read(fd, 1) else "empty"
        finally:
            os.close(fd)
    except FileNotFoundError:
        return "absent"
    except BlockingIOError:
        return "readable"
    except OSError:
        return "denied"
