"""PID 1: one thread, one loop. It relays, counts, and ends things; it waits for nobody and trusts nothing that the worker says."""
import os
import select
import time
import _signal as signal
from binascii import b2a_base64
from collections import deque

from . import attestation, cgroup, wire
from .artifacts import Artifacts
from .execution import Counters, Execution, params_of, resident_peak
from .outbox import Outbox
from .pipes import Pipes, available
from .processes import kill, kill_all
from .spare import Spare, end_worker, wait_for_end
from .stillness import Stillness

CLOCK_BOOTTIME = 7  # goes on while the machine sleeps

NOT_BEGUN = -32010   # the error of an `execute` of which nothing was run

MAX_UNANSWERED = 1024
HOST_BACKLOG = 8 << 20      # to the host: beyond it the worker's messages wait
WORKER_BACKLOG = 64 << 20   # to the worker: beyond it the host waits,
BOOT_SECONDS = 60           # as long as the host may be silent until it has said how long it may be
FROZEN_SECONDS = 2          # the loop was late by so much: nothing in here ran
STALLED_SECONDS = 15        # and a worker that takes nothing for so long is ended
PROGRESS_SECONDS = 0.2
LOOK_SECONDS = 1         # so often it is looked whether a session that waits stands still,
SOON_SECONDS = 0.02      # and so soon where the kernel says that the worker did something
FIRST_WORDS = 2000
MAX_PROGRESS, MAX_DISPLAY = 8 << 10, 24 << 20

CALLS = {b"servers", b"list_tools", b"call_tool", b"query_tool_docs", b"search_tool_docs", b"capability_summary",
         b"save_tool", b"saved_tools", b"delete_tool"}

# What is another's when another worker takes the place of the first.
OF_A_WORKER = ("worker_pid", "worker_fd", "pipes", "worker_lines", "to_worker", "stillness", "worker_end")

IN, OUT = select.POLLIN, select.POLLOUT


class Supervisor:
    """All state of PID 1. `handlers` maps a descriptor to what is done when it is ready."""

    def __init__(self, own_filter, worker, probed, second=None, preload=b""):
        self.own_filter, self.probed = own_filter, probed
        self.worker_pid, self.worker_fd, self.worker_facts = worker.pid, worker.channel_fd, worker.facts
        self.pipes = Pipes(worker.output_fds)
        self.host_lines, self.worker_lines = wire.Lines(), wire.Lines()
        self.to_host = Outbox(1)
        self.to_worker = Outbox(self.worker_fd)
        if worker.first:
            self.to_worker.put([worker.first])
        self.poll = select.poll()
        self.masks = {}
        self.handlers = {}
        self.group = None
        self.before = None        # the Counters of the first execution, taken while the container waits for it
        self.artifacts = Artifacts()
        self.stillness = Stillness(self.worker_pid)
        self.looks_next = None    # while a session waits for its next execution: when to look at it again
        self.execution = None
        self.unanswered = set()   # ids of the worker's requests that the host has not answered
        self.abandoned = set()    # of these, the ones whose execution has ended
        self.spare = Spare(second, preload, self._tell) if second else None
        self.spare_first = second.first if second else None
        self.set_aside = None     # while the second worker looks at a program: what we know of the first, and the line of `execute`
        self.worker_end = None    # (wait status, rusage) once it was reaped
        self.warm = False
        self.first_words = b""    # what a worker said that may never become warm
        self.spent = False        # no further execution: the one that was allowed has ended, or a session's interpreter has
        self.garbage = 0
        self.worker_bytes = 0
        self.inbox = deque()      # lines of the worker's that wait until fewer of its calls are unanswered
        self.life_ends, self.heartbeat_seconds = None, BOOT_SECONDS
        self.heard = self.worker_took = time.monotonic()

    # Start

    def run(self):
        os.set_blocking(0, False)
        os.set_blocking(1, False)
        self.handlers[0], self.handlers[1] = self._host_ready, lambda events: self.to_host.pump()
        self.handlers[self.worker_fd] = self._worker_ready
        for fd in self.pipes.output_fds:
            self.handlers[fd] = lambda events, fd=fd: self._from_pipe(fd)
        if self.spare:
            self.handlers[self.spare.fd] = self._spare_ready
        self._watch_children()
        self.artifacts.prepare()
        mount_list = cgroup.mounts()
        self.group = cgroup.Cgroup(mount_list)
        self.facts = attestation.collect(self.own_filter, self.probed, mount_list, self.group)
        self._show_code()
        while True:
            self._set_masks()
            wait, before = self._milliseconds(), time.monotonic()
            ready = self.poll.poll(wait)
            self._awake(time.monotonic() - before - wait / 1000)
            for fd, events in ready:
                if fd in self.handlers:
                    self.handlers[fd](events)
            self._check_clocks(time.monotonic())
            if self.to_host.broken:
                os._exit(0)

    def _awake(self, late):
        """The container was frozen while a person was asked: that time counts for nothing, whether `hold` has been read or not."""
        if late < FROZEN_SECONDS:
            return
        self.heard += late
        self.worker_took += late
        if self.execution is not None:
            self.execution.skip(late)

    def _show_code(self):
        """Our modules compiled, for the containers that come after this one: before user code runs anywhere in here, and while
        the worker still imports."""
        packed = __spec__.loader.pack()
        if packed:
            self._tell("compiled", {"data": b2a_base64(packed, newline=False).decode()})

    def _watch_children(self):
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self.wake_fds = (reader, writer)

        def woken(events):
            try:
                os.read(reader, 4096)
            except BlockingIOError:
                pass
            self._reap()
            if self.looks_next is not None:  # the worker goes on, perhaps; or it has just been stopped by us
                self.looks_next = min(self.looks_next, time.monotonic() + SOON_SECONDS)
        self.handlers[reader] = woken
        self._reap()  # of one that died before we looked

    # The loop

    def _set_masks(self):
        wanted = dict.fromkeys([self.wake_fds[0], *self.pipes.output_fds], IN)
        wanted[0] = 0 if self._host_waits_for_us() else IN
        wanted[1] = OUT if self.to_host.size else 0
        if self.worker_fd in self.handlers:
            listens = len(self.unanswered) < MAX_UNANSWERED and not self.inbox and self.to_host.size < HOST_BACKLOG
            wanted[self.worker_fd] = (IN if listens else 0) | (OUT if self.to_worker.size else 0)
        if self.spare:
            wanted[self.spare.fd] = IN | (OUT if self.spare_first else 0)
        for fd in [fd for fd in self.masks if fd not in wanted]:
            self.poll.unregister(fd)
            del self.masks[fd]
        for fd, mask in wanted.items():
            if self.masks.get(fd) != mask:
                self.poll.register(fd, mask)
                self.masks[fd] = mask

    def _host_ready(self, events):
        if events & IN:
            self._from_host()
        else:  # hung up while we were not listening
            os._exit(0)

    def _worker_ready(self, events):
        if events & OUT and self.to_worker.pump():
            self.worker_took = time.monotonic()
        if events & IN:
            self._from_worker()
        elif events & ~OUT:  # it closed its end while we were not listening: what it said last lies there still
            self._drain_worker()
            self._forget_worker()

    def _milliseconds(self):
        now = time.monotonic()
        times = [now + 5, self.heard + self.heartbeat_seconds]
        run = self.execution
        if self.looks_next is not None:
            times.append(self.looks_next)
        if self.spare and self.spare.deadline:
            times.append(self.spare.deadline)
        if run is not None:
            times.append(run.deadline(now))
            if run.progress is not None:
                times.append(run.next_progress)
            if run.has_news():
                times.append(run.next_tick)
        return max(0, int((min(times) - now) * 1000) + 1)

    def _check_clocks(self, now):
        if self.life_ends is not None and time.clock_gettime(CLOCK_BOOTTIME) >= self.life_ends:
            last_words("the end of its life was reached")
        if self._host_waits_for_us():
            self.heard = now
            if now - self.worker_took > STALLED_SECONDS:
                self._end_worker("the program does not read the answers to its calls")
                self.worker_took = now
        elif now - self.heard > self.heartbeat_seconds:
            last_words("the host was silent for %d s" % self.heartbeat_seconds)
        if self.spare and self.spare.deadline and now >= self.spare.deadline:
            self.spare.failed("it took too long")
            self._end_spare()
        if self.looks_next is not None and now >= self.looks_next:
            self._look(now)
        run = self.execution
        if run is None:
            return
        if now >= run.deadline(now):
            self._finish("timeout")
            return
        tick = run.tick(now)
        if tick:
            self._tell("tick", tick)
        self._show_progress(run, now)

    def _host_waits_for_us(self):
        """The worker does not take what is for it. One that is stopped cannot."""
        return self.to_worker.size > WORKER_BACKLOG and self.looks_next is None

    def _look(self, now):
        """A session that does not stand still between two executions ends."""
        self.looks_next = now + LOOK_SECONDS
        if self.worker_end is None and not self.stillness.holds():
            self.spent, self.looks_next = True, None
            kill_all(self.worker_pid)

    def _show_progress(self, run, now):
        """The latest report; those that come faster than they can be read are passed over."""
        if run.progress is not None and now >= run.next_progress:
            self._tell("progress", run.progress)
            run.progress, run.next_progress = None, now + PROGRESS_SECONDS

    # The host

    def _from_host(self):
        try:
            data = os.read(0, wire.READ)
        except BlockingIOError:
            return
        except OSError:
            os._exit(0)
        if not data:
            os._exit(0)
        self.heard = time.monotonic()
        for line in self.host_lines.feed(data):
            number = wire.is_answer(wire.head_of(line))
            if number is not None:
                self._relay_answer(number, line)
            else:
                self._obey(line)

    def _relay_answer(self, number, line):
        self.unanswered.discard(number)
        self._judge_inbox()
        if number in self.abandoned:
            self.abandoned.discard(number)
            return
        if self.to_worker.size == 0:
            self.worker_took = time.monotonic()
        self.to_worker.put(line)

    def _obey(self, line):
        message = wire.loads(b"".join(line)) if line != [b"\n"] else {}
        method, params, now = message.get("method"), message.get("params") or {}, time.monotonic()
        if method == "execute":
            self._execute(message["id"], params, line)
        elif method == "boot":
            self.life_ends = time.clock_gettime(CLOCK_BOOTTIME) + params["life_seconds"]
            self.heartbeat_seconds = params["heartbeat_seconds"]
        elif method == "hold" and self.execution is not None:
            self.execution.hold(now)
        elif method == "release" and self.execution is not None:
            self.execution.release(now)
        elif method == "pause" and self.execution is not None:
            self.execution.pause(now)
        elif method == "resume" and self.execution is not None:
            self.execution.resume(now)
        elif "id" in message and method:
            self.to_host.put([wire.failure(message["id"], -32601, "no method " + method)])

    def _execute(self, request_id, params, line):
        if self.execution is not None:
            self.to_host.put([wire.failure(request_id, NOT_BEGUN, "an execution is under way")])
        elif self.spent or self.worker_fd not in self.handlers or self.worker_end is not None:
            self.to_host.put([wire.failure(request_id, NOT_BEGUN, "the interpreter has ended")])
        else:
            for _ in self.pipes.lying_now():
                pass  # from between two executions: nobody's
            before, self.before = self.before or Counters(self.group, self.worker_pid), None
            if self.looks_next is not None:
                self.stillness.end()
                self.looks_next, self.worker_took = None, time.monotonic()
            if self.spare:
                before = self._choose(line, before)
            self.to_worker.put(line)  # first of all: it reads it while we get ready ourselves
            self.execution = Execution(request_id, params, self.group, self.worker_pid, before)
            self.garbage = 0

    def _tell(self, method, params):
        self.to_host.put([wire.notification(method, params)])

    # The worker

    def _from_worker(self):
        """Reads once; what follows waits for the next turn, so that no flood starves the rest."""
        try:
            data = os.read(self.worker_fd, wire.READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._forget_worker()
            return
        self.worker_bytes += len(data)
        try:
            self.inbox.extend(self.worker_lines.feed(data))
        except wire.TooLong:
            self.worker_lines = wire.Lines()
            self._end_worker("the program sent a message of more than %d MiB" % (wire.MAX_LINE >> 20))
        self._judge_inbox()

    def _judge_inbox(self):
        while self.inbox and len(self.unanswered) < MAX_UNANSWERED:
            self._judge(self.inbox.popleft())

    def _judge(self, line):
        """One line of the worker's: a request or a notification that it may send, or nothing."""
        head = wire.head_of(line)
        request, method = wire.request_of(head), wire.notification_of(head)
        run = self.execution
        if self.set_aside and method == b"declined":
            return self._take_back()
        if self.set_aside:
            self._end_set_aside()
            if method == b"taken":
                return
        if request and request[1] in CALLS and request[0] not in self.unanswered and request[0] not in self.abandoned:
            number, method = request
            if run is None:
                self.to_worker.put([cancelled(number, "no execution is under way")])
                return
            self.unanswered.add(number)
            run.tool_calls += method == b"call_tool"
            self.to_host.put(line)
        elif method == b"warm":
            self._take_warm(params_of(line) if len(line) == 1 and len(line[0]) < 1000 else {})
        elif method == b"landlock" and not self.warm and len(line[0]) < 1000:  # before it becomes another Python, or runs anything
            self.facts.setdefault("landlock", params_of(line))
        elif run is None:
            pass
        elif method == b"done":
            size = sum(map(len, line))
            run.done = params_of(line) if size <= (1 << 20) + 12 * (run.head + run.tail) else {}
            self._finish("done")
        elif method == b"progress" and sum(map(len, line)) <= MAX_PROGRESS:
            run.take_progress(line)
            self._show_progress(run, time.monotonic())
        elif method == b"display" and sum(map(len, line)) <= MAX_DISPLAY:
            self.to_host.put(line)
        elif method == b"cancel" and len(line[0]) <= 120:
            number = params_of(line).get("id")
            if isinstance(number, int) and b"%d" % number in self.unanswered:
                self._tell("cancel", {"id": number})
        else:
            self.garbage += 1

    def _take_warm(self, params):
        """The worker waits; once more when it has imported what else it could meanwhile, which is no part of the first execution."""
        if not self.warm or self.before:
            self.before = Counters(self.group, self.worker_pid)
        if not self.warm:
            self.warm = True
            if isinstance(params.get("python"), str):
                self.facts["python"] = params["python"]
            self.facts["worker"] = self.worker_facts
            self._tell("ready", {"protocol": 1, "python": self.facts["python"], "attestation": self.facts})

    # The second worker

    def _spare_ready(self, events):
        if events & OUT and self.spare_first:
            try:
                self.spare_first = self.spare_first[os.write(self.spare.fd, self.spare_first):]
            except BlockingIOError:
                pass
            except OSError:
                return self._end_spare()
        if events & ~OUT and not self.spare.read():
            self._end_spare()

    def _end_spare(self, program=()):
        spare, self.spare, self.spare_first = self.spare, None, None
        self.handlers.pop(spare.fd, None)
        spare.end(program)
        if self.before:  # what it did is no part of the first execution
            self.before = Counters(self.group, self.worker_pid)

    def _choose(self, line, before):
        """Sets the first worker aside where the second may suit better, and ends the second where not. Returns the Counters to count from."""
        spare = self.spare
        ready = spare.names and spare.landlock == self.facts.get("landlock")
        if not ready or not spare.may_suit(line):
            self._end_spare(line)
            return before
        self.spare = None
        self.handlers.pop(self.worker_fd, None)
        for fd in self.pipes.output_fds:
            self.handlers.pop(fd, None)
        self.set_aside = {name: getattr(self, name) for name in OF_A_WORKER}, line, before
        self._adopt(worker_pid=spare.worker.pid, worker_fd=spare.fd, pipes=Pipes(spare.worker.output_fds), worker_lines=wire.Lines(),
                    to_worker=Outbox(spare.fd), stillness=Stillness(spare.worker.pid), worker_end=None)
        for _ in self.pipes.lying_now():
            pass  # said by imports
        return Counters(self.group, self.worker_pid)

    def _adopt(self, **of_a_worker):
        self.__dict__.update(of_a_worker)
        self.handlers[self.worker_fd] = self._worker_ready
        for fd in self.pipes.output_fds:
            self.handlers[fd] = lambda events, fd=fd: self._from_pipe(fd)

    def _take_back(self):
        """The first worker runs the program after all."""
        first, line, before = self.set_aside
        self.set_aside = None
        second = self.worker_pid
        self._drop(second, self.worker_fd, self.pipes)
        wait_for_end(second)  # the program may look for other processes
        self._adopt(**first)
        self.execution.worker_pid, self.execution.before = self.worker_pid, before
        self.inbox.clear()
        if self.worker_end is not None:
            return self._finish("died")
        self.worker_took = time.monotonic()
        self.to_worker.put(line)

    def _end_set_aside(self):
        first, _, _ = self.set_aside
        self.set_aside = None
        self._drop(first["worker_pid"], first["worker_fd"], first["pipes"])

    def _drop(self, pid, fd, pipes):
        for each in (fd, *pipes.output_fds):
            self.handlers.pop(each, None)
        end_worker(pid, fd, pipes.output_fds)

    def _forget_worker(self):
        """Its end of the socket is closed. The process may live on, and its exit then tells the rest."""
        if self.set_aside:
            return self._take_back()
        self.handlers.pop(self.worker_fd, None)
        self.to_worker.broken = True
        self.to_worker.pieces.clear()
        self.to_worker.size = 0

    def _end_worker(self, reason):
        if self.execution is not None:
            self._finish("ended", reason)
        elif self.worker_end is None:
            kill(self.worker_pid)

    def _reap(self):
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self.set_aside and pid == self.set_aside[0]["worker_pid"]:
                self.set_aside[0]["worker_end"] = (status, usage)
            elif pid == self.worker_pid:
                self.worker_end = (status, usage)
                if not self.warm:
                    raise RuntimeError(self._why_not_warm(status))
                self._drain_worker()  # its first word may lie there still, and a program is never run twice
                if self.set_aside:
                    self._take_back()
                elif self.execution is not None:
                    self._finish("died")

    def _why_not_warm(self, status):
        said = (self.first_words + b"".join(data for _, data in self.pipes.lying_now()))[-FIRST_WORDS:].decode("utf-8", "replace")
        why = "the worker died before it was warm (wait status %d)" % status
        if self.worker_facts["executed"]:
            why = "%s, the image's python3, did not start with the image's environment (wait status %d)" % (self.worker_facts["python"], status)
        return why + (": " + " ".join(said.split()) if said.strip() else "")

    def _drain_worker(self):
        """What a worker said last that is dead or has closed its end: its `done` may still lie in the socket."""
        left = available(self.worker_fd) if self.worker_fd in self.handlers else 0
        while left > 0 and self.worker_fd in self.handlers:
            before = self.worker_bytes
            self._from_worker()
            if self.worker_bytes == before:
                return
            left -= self.worker_bytes - before
        for line in self.inbox:  # what still waits here are calls, and perhaps that one word
            if wire.notification_of(wire.head_of(line)) == b"done":
                self._judge(line)
        self.inbox.clear()

    # Output

    def _from_pipe(self, fd):
        if fd not in self.pipes.output_fds:
            return  # closed since the poll, by the end of an execution
        name, data = self.pipes.read(fd)
        if data and self.execution is not None:
            self._take(name, data)
        elif not self.warm:
            self.first_words = (self.first_words + data)[-FIRST_WORDS:]

    def _take(self, name, data):
        text = self.execution.take(name, data)
        if text:
            self._tell("output", {"stream": name, "text": text})

    # The end of an execution

    def _finish(self, how, reason=None):
        if self.set_aside:
            self._end_set_aside()
        run = self.execution
        stays, note = how == "done" and run.session and self.worker_end is None, None
        if stays:
            stays, note = self.stillness.begin()
        if how in ("timeout", "ended"):
            kill_all(self.worker_pid)
        for name, data in self.pipes.lying_now():
            self._take(name, data)
        for name, text in run.last_texts():
            if text:
                self._tell("output", {"stream": name, "text": text})
        if run.progress is not None:
            self._tell("progress", run.progress)
        for artifact in self.artifacts.changed():
            self._tell("artifact", artifact)
        if how == "done" and self.worker_end is None:
            self.worker_end = ended_already(self.worker_pid)
        status, usage = self.worker_end or (None, None)
        result = run.result(how, status, usage, stays, reason)
        if self.garbage:
            result["notes"].append("%d malformed messages on the channel for calls were ignored" % self.garbage)
        if note:
            result["notes"].append(note)
        self.execution = None
        self._abandon_calls(stays)
        self.to_host.put([wire.answer(run.request_id, result)])
        if not stays:
            self.spent = True
            kill_all(self.worker_pid)
        else:
            self.looks_next = time.monotonic() + LOOK_SECONDS

    def _abandon_calls(self, worker_stays):
        for number in self.unanswered:
            self.abandoned.add(number)
            if worker_stays:
                self.to_worker.put([cancelled(number, "the execution that made this call has ended")])
        self.unanswered.clear()


def ended_already(pid):
    """(wait status, rusage) of a worker that has ended since its last word, so that nobody must take its word for what it used. One that
    is about to end has no memory left to be looked at and cannot be waited for yet, for a moment."""
    until = time.monotonic() + 0.05
    while True:
        try:
            found, status, usage = os.wait4(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if found:
            return status, usage
        if resident_peak(pid) > 0 or time.monotonic() >= until:
            return None
        time.sleep(0.001)


def last_words(text):
    """Ends the guest, and says why where that can be done without waiting."""
    try:
        os.set_blocking(2, False)
        os.write(2, text.encode() + b"\n")
    except OSError:
        pass
    os._exit(0)


def cancelled(number, message):
    return wire.failure(int(number), -32800, message, "cancelled")
