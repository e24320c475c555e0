"""The worker: what belongs to the execution under way."""
import concurrent.futures
import sys

from . import errors
from .listing import Listing
from .tracebacks import OURS

MAX_NOTES = 30


class Retry(Exception):
    """The caller that was fetching a list gave up; whoever waited for it fetches anew."""


class Context:
    """Servers usable in this run, lists of tools already fetched, calls not yet sent, and notes for the result."""

    def __init__(self, channel, job):
        self.channel = channel
        self.servers = job.get("servers") or []
        self.saved_tools = list(job.get("saved_tools") or [])
        self.notes = []
        self.unsent = {}
        self.made = 0
        self.listings = {}

    def note(self, text):
        if text not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append(text)

    def server_name(self, server):
        """The configured name for a name, an alias or a proxy."""
        name = getattr(type(server), "cordon_name", None)
        if name is not None:
            return name(server)
        for known in self.servers:
            if known["name"] == server:
                return server
        for known in self.servers:
            if known["alias"] == server:
                return known["name"]
        return server

    def ask(self, method, params, tool=None):
        """A call to the host; its result."""
        return unwrap(self.channel.call(method, params), params.get("server"), tool)

    async def ask_async(self, method, params, tool=None):
        return unwrap(await self.channel.call_async(method, params), params.get("server"), tool)

    def listing(self, server):
        """The server's tools. Never waits for another caller's fetch, which may be a task of the loop that we block."""
        known = self.listings.get(server)
        if known is not None and known.done() and known.exception() is None:
            return known.result()
        fetched = Listing(self.ask("list_tools", {"server": server}))
        fresh = concurrent.futures.Future()
        fresh.set_result(fetched)
        self.listings[server] = fresh
        return fetched

    async def listing_async(self, server):
        """The same; many callers at once share one fetch."""
        while True:
            known = self.listings.get(server)
            if known is None:
                break
            if not known.done():
                await settled(known)
            try:
                return known.result()
            except Retry:
                pass
        known = self.listings[server] = concurrent.futures.Future()
        try:
            fetched = Listing(await self.ask_async("list_tools", {"server": server}))
        except BaseException as failure:
            if self.listings.get(server) is known:
                del self.listings[server]
            known.set_exception(failure if isinstance(failure, errors.MCPError) else Retry())
            raise
        known.set_result(fetched)
        return fetched

    def remember(self, what):
        """A call that was made, until it is awaited. Gives the number to forget it by."""
        self.made += 1
        self.unsent[self.made] = "%s%s was never awaited, so it was not sent" % (what, user_line())
        return self.made

    def started(self, number):
        self.unsent.pop(number, None)

    def all_notes(self):
        unsent = list(self.unsent.values())
        more = len(unsent) - 10
        return self.notes + unsent[:10] + (["%d more calls were never awaited" % more] if more > 0 else [])


async def settled(future):
    """Until a concurrent future is done; unlike wrap_future, a waiter that is cancelled cancels nobody else."""
    import asyncio  # who awaits has it
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def wake(_):
        try:
            loop.call_soon_threadsafe(lambda: waiter.done() or waiter.set_result(None))
        except RuntimeError:
            pass  # that loop is closed
    future.add_done_callback(wake)
    await waiter


def unwrap(message, server, tool):
    if "error" in message:
        raise errors.from_wire(message["error"], server, tool)
    return message.get("result")


def user_line():
    """` (line 12)` of the user's code that is being executed."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OURS):
            return " (line %d)" % frame.f_lineno
        frame = frame.f_back
    return ""


current = None
