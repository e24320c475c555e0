"""PID 1: one execution, from `execute` to its result: clock, output, counters, verdict."""
import os
import time

from . import wire
from .cgroup import read_text
from .faults import FaultLines
from .output import Stream
from .terminal import AsItCame, Terminal

HELD_SECONDS = 60  # a deadline while there is none
ERROR_CHARACTERS = 2000
NOTES, NOTE_CHARACTERS = 40, 1000
MESSAGE_CHARACTERS = 500
IMPORTS, MODULE_NAME = 16, 100
LIMIT_NAMES = ("memory", "processes", "time", "disk", "open_files")
SIGKILL = 9
TICKS = os.sysconf("SC_CLK_TCK")
WRITABLE = ("/tmp", "/workspace", "/dev/shm")


class Counters:
    """The kernel's counts at one moment: a run is judged by what was added to them."""

    def __init__(self, group, worker_pid):
        self.kills, self.refusals = group.memory_kills(), group.refused_forks()
        self.cpu = cpu_seconds(worker_pid)


class Execution:
    """What is known of the run under way. `now` is time.monotonic() throughout; `before` are the Counters of before it."""

    def __init__(self, request_id, params, group, worker_pid, before):
        output = params.get("output") or {}
        self.request_id = request_id
        self.session = params.get("session") is True
        self.timeout = float(params.get("timeout_seconds", 30))
        self.head, self.tail = int(output.get("head", 15000)), int(output.get("tail", 15000))
        self.streams = {name: Stream(self.head, self.tail) for name in ("stdout", "stderr")}
        filter_kind = Terminal if params.get("terminal") is True else AsItCame
        self.fault_lines = FaultLines()
        self.filters = {name: filter_kind() for name in self.streams}
        self.taken = 0            # bytes of both streams as they came
        self.group = group
        self.worker_pid = worker_pid
        self.before = before
        self.began = time.monotonic()
        self.pauses = 0
        self.paused_at = None
        self.paused_for = 0.0
        self.held_at = None
        self.tool_calls = 0
        self.done = None
        self.next_tick = self.began
        self.ticked_at = 0
        self.progress = None
        self.next_progress = 0.0

    # The clock

    def pause(self, now):
        self.pauses += 1
        if self.pauses == 1:
            self.paused_at = now

    def resume(self, now):
        if self.pauses == 1:
            self.paused_for += now - self.paused_at
        self.pauses = max(0, self.pauses - 1)

    def hold(self, now):
        """A person is asked: no time passes until release(), and the host alone bounds that."""
        if self.held_at is None:
            self.held_at = now

    def release(self, now):
        if self.held_at is not None:
            held, self.held_at = now - self.held_at, None
            self.skip(held)

    def skip(self, seconds):
        """They have not passed, for this run."""
        self.began += seconds
        if self.held_at is not None:
            self.held_at += seconds
        if self.pauses:
            self.paused_at += seconds

    def deadline(self, now):
        """When the run's time is over, as far as is known now."""
        if self.held_at is not None:
            return now + HELD_SECONDS
        paused = self.paused_for + (now - self.paused_at if self.pauses else 0)
        return self.began + self.timeout + min(paused, self.timeout)

    # Output

    def take(self, name, data):
        """Bytes of a stream as they were read; the text that is to be sent now (may be empty)."""
        self.taken += len(data)
        if name == "stderr":
            data = self.fault_lines.feed(data)
        return self.streams[name].feed(self.filters[name].feed(data))

    def last_texts(self):
        """At the end: the stream's name, and what is still to be sent of it."""
        for name, stream in self.streams.items():
            if name == "stderr":
                yield name, stream.feed(self.filters[name].feed(self.fault_lines.finish()))
            yield name, stream.feed(self.filters[name].finish()) + stream.finish()

    # Progress

    def take_progress(self, line):
        """The worker's report, as far as it is one."""
        params = params_of(line)
        report = {key: float(params[key]) for key in ("done", "total") if is_number(params.get(key))}
        if isinstance(params.get("message"), str):
            report["message"] = text(params["message"], MESSAGE_CHARACTERS)
        if "done" in report:
            self.progress = report

    def tick(self, now):
        """The params of a `tick`, or None; at most one a second and only where there is something new that was not sent."""
        if now < self.next_tick or not self.has_news():
            return None
        self.next_tick, self.ticked_at = now + 1, self.taken
        beyond = [stream for stream in self.streams.values() if stream.beyond_head()]
        redrawn = [line for line in [kind.line() for kind in self.filters.values()] if line]
        line = redrawn[0] if redrawn else max(beyond, key=lambda stream: stream.total_bytes).last_line() if beyond else ""
        return {"line": line, "total_bytes": sum([stream.total_bytes for stream in self.streams.values()])}

    def has_news(self):
        """Whether there is output that the host has not heard of in any way."""
        if self.taken == self.ticked_at:
            return False
        return any([stream.beyond_head() for stream in self.streams.values()]) or any([kind.drawn for kind in self.filters.values()])

    # The verdict

    def result(self, status, wait_status=None, usage=None, alive=False, reason=None):
        """The `execute` result. `status` is `done`, `timeout`, `died`, or `ended` (we ended it, for `reason`)."""
        done = self.done or {}
        killed_for_memory = grew(self.before.kills, self.group.memory_kills())
        facts = {"status": status, "exit_code": None, "signal": None, "error": reason, "value": None}
        if status == "done":
            well, error = done.get("status") == "success", text(done.get("error"), ERROR_CHARACTERS)
            code = integer(done.get("exit_code"))
            # with a code, the host knows that the error is the worker's word and not ours
            facts.update(status="success" if well else "error", exit_code=code or 1 if error and not well else code, error=error,
                         value=text(done.get("value"), self.head + self.tail + 200))
        elif status == "died":
            facts.update(verdict_of(wait_status, killed_for_memory))
        elif status == "ended":
            facts["status"] = "killed"
        facts.update(
            stdout=self.streams["stdout"].rest(), stderr=self.streams["stderr"].rest(),
            duration_ms=milliseconds(time.monotonic() - self.began), cpu_ms=milliseconds(self.cpu(usage)),
            peak_memory_bytes=self.peak(usage),
            limits=self.limits(facts["status"], killed_for_memory), notes=[], claimed=claims(done),
            tool_calls=self.tool_calls, alive=alive)
        return facts

    def cpu(self, usage):
        if usage is not None:
            return max(0.0, usage.ru_utime + usage.ru_stime - self.before.cpu)
        return max(0.0, cpu_seconds(self.worker_pid) - self.before.cpu)

    def peak(self, usage):
        """The container's; where nobody counts for it alone the worker's. 0: not known."""
        peak = self.group.peak_memory()
        if peak is None or peak <= 0:
            peak = usage.ru_maxrss * 1024 if usage is not None else resident_peak(self.worker_pid)
        return peak

    def limits(self, status, killed_for_memory):
        """Which limits were hit, by the kernel's counters and what else PID 1 sees itself."""
        hit = set()
        if killed_for_memory or status == "out_of_memory":
            hit.add("memory")
        if grew(self.before.refusals, self.group.refused_forks()):
            hit.add("processes")
        if status == "timeout":
            hit.add("time")
        if any(is_full(place) for place in WRITABLE):
            hit.add("disk")
        return [name for name in LIMIT_NAMES if name in hit]


def claims(done):
    """What the worker says, who may be the user's code: kept apart from what PID 1 saw. `limits` are those that its exceptions spoke of."""
    limits, notes = (done.get(key) if isinstance(done.get(key), list) else [] for key in ("limits", "notes"))
    imports = done.get("imports") if isinstance(done.get("imports"), list) else []
    return {"limits": [name for name in LIMIT_NAMES if name in limits],
            "notes": [text(note, NOTE_CHARACTERS) for note in notes[:NOTES] if isinstance(note, str)],
            "imports": [name for name in imports[:IMPORTS] if isinstance(name, str) and len(name) <= MODULE_NAME]}


def verdict_of(wait_status, killed_for_memory):
    """What a wait status says about a worker that died without a word."""
    if wait_status is not None and os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        by_kernel = number == SIGKILL and killed_for_memory
        return {"status": "out_of_memory" if by_kernel else "killed", "signal": number}
    code = os.WEXITSTATUS(wait_status) if wait_status is not None else None
    return {"status": "success" if code == 0 else "error", "exit_code": code}


def milliseconds(seconds):
    """Whole ones, rounded up: what was run took some."""
    return -int(-seconds * 1000 // 1)


def grew(before, after):
    return after is not None and after > (before or 0)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def integer(value):
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31 else None


def text(value, limit):
    """A string from the worker, cut to what is allowed; None for anything else."""
    return wire.whole(value[:limit]) if isinstance(value, str) else None


def is_full(place):
    try:
        facts = os.statvfs(place)
    except OSError:
        return False
    full = facts.f_blocks > 0 and facts.f_bavail == 0 or facts.f_files > 0 and facts.f_favail == 0
    return full and os.path.ismount(place)


def cpu_seconds(pid):
    """CPU time of a process and of the children that it waited for."""
    try:
        fields = (read_text("/proc/%d/stat" % pid) or "").rpartition(")")[2].split()
        own = time.clock_gettime(~pid << 3 | 2)  # the kernel's number for that process's CPU clock
    except (OSError, IndexError):
        return 0.0
    children = (int(fields[13]) + int(fields[14])) / TICKS
    return own + children


def resident_peak(pid):
    for line in (read_text("/proc/%d/status" % pid) or "").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def params_of(line):
    """The params of a notification of the worker's; an empty dict where they are nothing that we understand."""
    try:
        message = wire.loads(b"".join(line))
    except ValueError:
        return {}
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}
