"""PID 1: the container's own limits and counters, from cgroup v1 or v2."""
import os


def read_text(path):
    """The file's text, or None where there is none that we may read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        pieces = []
        while True:
            piece = os.read(fd, 65536)
            if not piece:
                return b"".join(pieces).decode("utf-8", "replace")
            pieces.append(piece)
    except OSError:
        return None
    finally:
        os.close(fd)


class Counter:
    """A file of the kernel's that is read again and again, and so stays open. `text` gives None where it cannot be read."""

    def __init__(self, path):
        try:
            self.fd = None if path is None else os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            self.fd = None

    def text(self):
        try:
            return None if self.fd is None else os.pread(self.fd, 4096, 0).decode("utf-8", "replace")
        except OSError:
            return None


def unescape(field):
    """A field of mountinfo, where blanks stand as \\040."""
    if "\\" not in field:
        return field
    first, *rest = field.split("\\")
    return first + "".join([chr(int(part[:3], 8)) + part[3:] if part[:3].isdigit() else "\\" + part for part in rest])


def mounts():
    """/proc/self/mountinfo as dicts."""
    found = []
    for line in (read_text("/proc/self/mountinfo") or "").splitlines():
        fields = line.split(" ")
        if "-" not in fields:
            continue
        dash = fields.index("-")
        kind, source, super_options = (fields[dash + 1:] + ["", "", ""])[:3]
        found.append({"at": unescape(fields[4]), "type": kind, "options": fields[5], "super_options": super_options,
                      "source": unescape(source), "root": unescape(fields[3])})
    return found


def _under(path, root):
    """`path` as seen below `root`, both as the kernel names cgroups."""
    if root == "/" or not (path + "/").startswith(root + "/"):
        return path if root == "/" else "/"
    return path[len(root):] or "/"


class Cgroup:
    """Where this container's files are. A value that cannot be read is None."""

    def __init__(self, mount_list=None, own=None):
        mount_list = mounts() if mount_list is None else mount_list
        own = (read_text("/proc/self/cgroup") or "") if own is None else own
        paths = {}  # controller → this process's path in its hierarchy; "" is v2
        for line in own.splitlines():
            _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
            for controller in controllers.split(","):
                paths[controller] = path
        self.unified = None
        self.split = {}
        for mount in mount_list:
            if mount["type"] == "cgroup2":
                self.unified = mount["at"] + _under(paths.get("", "/"), mount["root"])
            elif mount["type"] == "cgroup":
                for controller in mount["super_options"].split(","):
                    if controller in paths:
                        self.split[controller] = mount["at"] + _under(paths[controller], mount["root"])
        # Both kinds are mounted on hybrid hosts, where v1 does the work.
        self.version = 1 if "memory" in self.split or "pids" in self.split else 2 if self.unified else 0
        self.counters = {}

    def _path(self, controller, name):
        directory = self.unified if self.version == 2 else self.split.get(controller)
        return None if directory is None else directory.rstrip("/") + "/" + name

    def text(self, controller, name):
        path = self._path(controller, name)
        return None if path is None else read_text(path)

    def number(self, controller, name):
        return _number(self.text(controller, name))

    def memory_kills(self):
        return _field(self._counter("memory", "memory.events" if self.version == 2 else "memory.oom_control"), "oom_kill")

    def refused_forks(self):
        return _field(self._counter("pids", "pids.events"), "max")

    def peak_memory(self):
        return _number(self._counter("memory", "memory.peak" if self.version == 2 else "memory.max_usage_in_bytes"))

    def _counter(self, controller, name):
        """The text of one of the kernel's counters. Without a limit the cgroup is no own one, and counts what others do, too: then None."""
        if name not in self.counters:
            self.counters[name] = Counter(self._path(controller, name) if self._limit(controller) not in (None, -1) else None)
        return self.counters[name].text()

    def _limit(self, controller):
        if controller == "pids":
            return self.number("pids", "pids.max")
        return _v1_limit(self.number("memory", "memory.max" if self.version == 2 else "memory.limit_in_bytes"))

    def limits(self):
        """The `cgroup` part of the attestation."""
        facts = {"version": self.version, "pids_max": self.number("pids", "pids.max")}
        if self.version == 2:
            quota, period = ((self.text("cpu", "cpu.max") or "").split() + [None, None])[:2]
            facts.update(memory_max=self._limit("memory"),
                         memory_swap_max=self.number("memory", "memory.swap.max"), memsw_max=None,
                         cpu_quota=None if quota is None else -1 if quota == "max" else int(quota),
                         cpu_period=None if period is None else int(period))
        else:
            facts.update(memory_max=self._limit("memory"), memory_swap_max=None,
                         memsw_max=_v1_limit(self.number("memory", "memory.memsw.limit_in_bytes")),
                         cpu_quota=self.number("cpu", "cpu.cfs_quota_us"),
                         cpu_period=self.number("cpu", "cpu.cfs_period_us"))
        facts["file_errors"] = [name for controller, name in
                                (("memory", "memory.max" if self.version == 2 else "memory.limit_in_bytes"),
                                 ("pids", "pids.max"))
                                if self.text(controller, name) is None]
        return facts


def _number(text):
    """An integer; -1 for `max`."""
    word = (text or "").split()[:1]
    if word == ["max"]:
        return -1
    return int(word[0]) if word and word[0].lstrip("-").isdigit() else None


def _field(text, key):
    """One number of a file of `key number` lines."""
    for line in (text or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == key and words[1].isdigit():
            return int(words[1])
    return None


def _v1_limit(value):
    """v1 writes "no limit" as the largest multiple of a page."""
    return -1 if value is not None and value >= 1 << 62 else value
