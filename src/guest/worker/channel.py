"""The worker: calls to the host over fd 3, from any thread and any event loop.

Answers are read by a thread that lives only while calls are in flight: a program that makes none has one thread, so that it may
fork without warnings. Between two executions of a session the main thread reads.
"""
import errno
import signal
import threading
from _thread import allocate_lock as new_lock
from _thread import start_new_thread as start_thread  # keeps no books, which an exception in their midst would spoil
from collections import deque
from os import getpid, read, write  # ours for good, whatever user code does to the module

from . import wire
from .encode import to_json
from .records import Record

ALL_SIGNALS = sorted(map(int, signal.valid_signals()))
set_mask = signal.pthread_sigmask  # ours for good, whatever user code does to the module
IN_FLIGHT = 1000  # the supervisor carries 1,024; further calls wait here, and block nobody
scan_records = wire.scanner(Record)
CLOSED = (errno.EPIPE, errno.EBADF, errno.ECONNRESET, errno.ENOTCONN, errno.ENOTSOCK, errno.EINVAL)


class HostGone(RuntimeError):
    """The supervisor's end is closed."""


class Channel:
    """One socket. `deliver` functions are called with the answer's line (a list of pieces), in the reading thread."""

    def __init__(self, fd):
        self.fd = fd
        self.pid = getpid()
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.sending = threading.Lock()
        self.lines = wire.Lines(limit=1 << 40)
        self.pending = {}
        self.waiting = deque()  # (id, line) beyond IN_FLIGHT
        self.sent = 0
        self.jobs = deque()
        self.reading = False
        self.next_id = 1

    # Calls

    def call(self, method, params):
        """Makes a call and waits for it. The answer as a message (a dict)."""
        answered = new_lock()  # a bare lock: an Event's wait is spoiled by a signal handler that raises in its midst
        answered.acquire()
        lines = []

        def deliver(line):
            lines.append(line)
            answered.release()
        self._submit(method, params, deliver)
        answered.acquire()
        return _message(lines.pop())

    async def call_async(self, method, params):
        """The same from a coroutine."""
        import asyncio  # here: half of what a worker's start would cost; who awaits has it
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def settle(line):
            if not future.done():
                future.set_result(line)

        def deliver(line):
            try:
                loop.call_soon_threadsafe(settle, line)
            except RuntimeError:
                pass  # that loop is closed: nobody waits any more
        number = self._submit(method, params, deliver)
        try:
            line = await future
        except asyncio.CancelledError:
            self._give_up(number)
            raise
        return _message(line)

    def notify(self, method, params):
        self._check_process()
        self._send(wire.notification(method, params))

    def is_ours(self):
        """False in a child that was forked off."""
        return getpid() == self.pid

    def _check_process(self):
        if not self.is_ours():
            raise RuntimeError("only the process that run_python started can make calls; this is a child of it")

    def _submit(self, method, params, deliver):
        self._check_process()
        body = to_json(params)
        with self.lock:
            number = self.next_id
            self.next_id += 1
            self.pending[number] = deliver
            if not self.reading:
                try:
                    self._start_reader()
                except BaseException:
                    self.pending.pop(number, None)
                    raise
            line = b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' % (number, method.encode(), body)
            if self.sent >= IN_FLIGHT:
                self.waiting.append(line)
                return number
            self.sent += 1
        self._send(line)
        return number

    def _start_reader(self):
        """With the lock held. The program's signals wait: a handler that raises in the midst would leave half a reader."""
        mask = set_mask(signal.SIG_BLOCK, ALL_SIGNALS)
        try:
            start_thread(self._read_while_pending, ())
            self.reading = True
        finally:
            set_mask(signal.SIG_SETMASK, mask)

    def _give_up(self, number):
        """Nobody awaits this call any more; the host may spare itself the rest. Its answer comes all the same."""
        try:
            self.notify("cancel", {"id": number})
        except RuntimeError:
            pass

    def _send(self, line):
        """Writes a whole line, also when a signal handler raises in the midst of it: half a line would end the channel."""
        interrupted, interruptions = None, 0
        view = memoryview(line)
        self.sending.acquire()
        try:
            while view:
                try:
                    view = view[write(self.fd, view):]
                except BaseException as failure:
                    if isinstance(failure, OSError) and failure.errno in CLOSED or interruptions > 1000:
                        raise HostGone("the channel for calls is closed: %s" % failure) from None
                    interrupted = failure
                    interruptions += 1
        finally:
            self.sending.release()
        if interrupted is not None:
            raise interrupted

    # Reading

    def _read_while_pending(self):
        while True:
            with self.lock:
                if not self.pending:
                    self.reading = False
                    self.changed.notify_all()
                    return
            if not self._read_some():
                return

    def _read_some(self):
        """Reads once and hands out what came; False at the end."""
        try:
            data = read(self.fd, wire.READ)
        except OSError:
            data = b""
        if not data:
            self._fail_all()
            return False
        for line in self.lines.feed(data):
            self._dispatch(line)
        return True

    def _dispatch(self, line):
        number = wire.is_answer(wire.head_of(line))
        if number is None:
            with self.lock:
                self.jobs.append(line)
                self.changed.notify_all()
            return
        next_line = None
        with self.lock:
            deliver = self.pending.pop(int(number), None)
            if deliver is not None:
                if self.waiting:
                    next_line = self.waiting.popleft()
                else:
                    self.sent -= 1
        if next_line is not None:
            self._send(next_line)
        if deliver is not None:
            deliver(line)

    def _fail_all(self):
        with self.lock:
            pending, self.pending = self.pending, {}
            self.reading = False
            self.jobs.append(None)
            self.changed.notify_all()
        for number, deliver in pending.items():
            deliver([bytearray(wire.failure(number, -32000, "the host is gone"))])

    def next_job(self):
        """Main thread, between executions: waits for the next `execute` and returns its message; None at the end."""
        while True:
            with self.lock:
                while self.reading and not self.jobs:
                    self.changed.wait()
                if self.jobs:
                    line = self.jobs.popleft()
                    return None if line is None else wire.loads(b"".join(line))
                self.reading = True
            while not self.jobs and self._read_some():
                pass
            with self.lock:
                self.reading = False
                if self.pending:
                    self._start_reader()


def _message(line):
    """An answer, whose objects are Records: made as they are parsed, so that a large result is gone through once."""
    return wire.loads(b"".join(line), scan_records)
