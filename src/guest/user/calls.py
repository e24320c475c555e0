"""The worker, seen by user code: a call that was made and waits to be awaited."""
import collections.abc

from . import context


class Call(collections.abc.Coroutine):
    """Awaitable once, by any asyncio means (`await`, gather, create_task, TaskGroup, asyncio.run). Nothing is sent before."""

    __module__ = "mcp.runtime"

    def __init__(self, what, make, hint):
        self._what = what
        self._make = make
        self._hint = hint
        self._coroutine = None
        self._owner = context.current
        self._number = self._owner.remember(what)

    def _started(self):
        if self._coroutine is None:
            self._owner.started(self._number)
            self._coroutine = self._make()
        return self._coroutine

    def __await__(self):
        return self._started().__await__()

    def send(self, value):
        return self._started().send(value)

    def throw(self, *what):
        return self._started().throw(*what)

    def close(self):
        if self._coroutine is not None:
            self._coroutine.close()

    def __repr__(self):
        return "<call of %s, not awaited: write `await %s(…)`, or `%s`>" % (self._what, self._what, self._hint)

    def _misused(self, *arguments):
        raise TypeError("%s(…) gives its result when it is awaited: `await %s(…)`, or `%s`" % (
            self._what, self._what, self._hint))

    __iter__ = __getitem__ = __len__ = __contains__ = __bool__ = _misused
