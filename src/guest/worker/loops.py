"""The worker: `asyncio.run` and its kin inside a program that itself runs on a loop, because it has a top-level await.

While an inner loop runs, the outer task steps aside: it is no longer the thread's current task, nor its loop the running one.
Nothing is patched for a program without top-level await.
"""
import asyncio
import contextlib
from asyncio import base_events, events, runners, tasks

from .patching import like


@contextlib.contextmanager
def stepped_aside(loop):
    """For the time of the block, `loop` and its current task are not the running ones of this thread."""
    task = tasks.current_task(loop)
    if task is not None:
        tasks._leave_task(loop, task)
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(loop)
        if task is not None:
            tasks._enter_task(loop, task)
        asyncio.set_event_loop(loop)


def allow_inner_loops(outer):
    """From now on, in the thread of `outer`, another loop may run while `outer` does."""
    if hasattr(base_events.BaseEventLoop, "_run_python_outer"):
        base_events.BaseEventLoop._run_python_outer = outer
        return
    base_events.BaseEventLoop._run_python_outer = outer
    wrap(asyncio, "run", lambda arguments: True)
    runners.run = asyncio.run
    if hasattr(runners, "Runner"):
        wrap(runners.Runner, "run", lambda arguments: True)
        wrap(runners.Runner, "close", lambda arguments: True)
    wrap(base_events.BaseEventLoop, "run_forever", lambda arguments: not arguments[0].is_running())
    plain = base_events.BaseEventLoop.run_until_complete

    def run_until_complete(self, future):
        running = events._get_running_loop()
        if running is None or running is not self._run_python_outer:
            return plain(self, future)
        with stepped_aside(running):
            if self is not running:
                return plain(self, future)
            if not asyncio.iscoroutine(future):
                raise RuntimeError("this future belongs to the running loop; await it instead")
            inner = asyncio.new_event_loop()  # `get_event_loop()` gave the running one: a new one serves
            try:
                return plain(inner, future)
            finally:
                inner.close()

    base_events.BaseEventLoop.run_until_complete = like(plain, run_until_complete)


def wrap(owner, name, applies):
    original = getattr(owner, name)

    def wrapper(*arguments, **named):
        running = events._get_running_loop()
        if running is None or running is not base_events.BaseEventLoop._run_python_outer or not applies(arguments):
            return original(*arguments, **named)
        with stepped_aside(running):
            return original(*arguments, **named)
    setattr(owner, name, like(original, wrapper))


class MainLoop:
    """The loop on which programs with top-level await run: one for the interpreter's life, as in a notebook."""

    def __init__(self):
        self.loop = None

    def run(self, coroutine):
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            allow_inner_loops(self.loop)
        asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(coroutine)

    def close(self):
        """As asyncio.run ends: what still runs is cancelled, and may clean up."""
        loop = self.loop
        if loop is None or loop.is_closed() or loop.is_running():
            return
        try:
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            loop.close()
