"""The worker, seen by user code: servers and tools as objects. Nothing here is generated source."""
import difflib

from . import context
from .calls import Call
from .listing import python_name
from .missing import why_not
from .records import hidden
from .results import to_python


class Server:
    """A server; its tools are its attributes: `await server.tool(…)`, `server["tool name"]`. `dir()` lists them."""

    __module__ = "mcp.servers"
    __slots__ = ("__name", "__alias", "__description", "__weakref__")

    def __init__(self, name, alias, description):
        self.__name, self.__alias, self.__description = name, alias, description

    def cordon_name(self):
        return self.__name

    def __getattribute__(self, name):
        # Tools may have any name: only Python's own and the slots are looked up here.
        if hidden(name) or name.startswith("_Server__"):
            return object.__getattribute__(self, name)
        if name.startswith("_") and context.current.listing(self.__name).find(name) is None:
            raise AttributeError("the server %r has no tool %r" % (self.__name, name))
        return Tool(self.__name, "mcp_" + self.__alias, name)

    def __getitem__(self, name):
        return Tool(self.__name, "mcp_" + self.__alias, name)

    def __dir__(self):
        return [tool.alias for tool in context.current.listing(self.__name).tools]

    def __repr__(self):
        text = (self.__description or "").strip().partition("\n")[0]
        return "<MCP server %s%s>" % (self.__name, ": " + text if text else "")

    @property
    def __doc__(self):
        listing = context.current.listing(self.__name)
        lines = [repr(self), ""]
        for tool in listing.tools:
            lines += [tool.call_text(), "    " + (tool.facts.get("description") or "").strip().partition("\n")[0]]
        return "\n".join(lines)


class Tool:
    """A tool of a server. Call it and await the call, or use `.sync(…)`."""

    __module__ = "mcp.servers"

    def __init__(self, server, path, name):
        self._server, self._path, self._name = server, path, name

    def __call__(self, /, *arguments, **named):
        async def run():
            listing = await context.current.listing_async(self._server)
            request = request_for(listing, self._server, self._name, arguments, named)
            return to_python(await context.current.ask_async("call_tool", request, request["tool"]),
                             self._server, request["tool"])
        what = "%s.%s" % (self._path, self._name)
        return Call(what, run, what + ".sync(…)")

    @property
    def sync(self):
        """The call itself, made and waited for in this thread: no loop is needed."""
        def sync(*arguments, **named):
            listing = context.current.listing(self._server)
            request = request_for(listing, self._server, self._name, arguments, named)
            return to_python(context.current.ask("call_tool", request, request["tool"]), self._server, request["tool"])
        sync.__name__ = self._name if self._name.isidentifier() else python_name(self._name)
        return sync

    def _info(self):
        info = context.current.listing(self._server).find(self._name)
        if info is None:
            raise AttributeError(unknown_tool(self._server, self._name))
        return info

    @property
    def __signature__(self):
        return self._info().signature()

    @property
    def __name__(self):
        return python_name(self._name)

    @property
    def __doc__(self):
        info = context.current.listing(self._server).find(self._name)
        return info.documentation() if info else unknown_tool(self._server, self._name)

    def __repr__(self):
        return "<MCP tool %s.%s>" % (self._path, self._name)


def request_for(listing, server, name, arguments, named):
    """The params of `call_tool`. A tool that is not listed is asked for all the same: the host says what is near."""
    info = listing.find(name)
    if info is not None:
        request = {"server": server, "tool": info.name}
        if info.has_no_timeout and is_time(named.get("timeout")):
            request["timeout_seconds"] = named.pop("timeout")
        return {**request, "arguments": info.bind(arguments, named)}
    given = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], dict) else {}
    return {"server": server, "tool": name, "arguments": {**given, **named}}


def is_time(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9


def unknown_tool(server, name):
    names = [tool.alias for tool in context.current.listing(server).tools]
    near = difflib.get_close_matches(name, names, 3)
    return "the server %r has no tool %r%s" % (server, name, "; near: " + ", ".join(near) if near else "")


class Servers(dict):
    """`mcp_servers`: name → server; an alias works as well."""

    __module__ = "mcp.servers"

    def __missing__(self, name):
        by_alias = context.current.server_name(name)
        if by_alias in self:
            return self[by_alias]
        raise KeyError(why_not(name) or "no server %r can be used in this run" % name)
