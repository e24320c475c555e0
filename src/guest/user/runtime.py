"""The worker, seen by user code as `mcp.runtime`: discovery, calls by name, saved tools, progress."""
from . import context, saved
from .calls import Call
from .proxies import request_for
from .results import to_python


def _plain(value):
    """A coroutine that has its value at once."""
    async def run():
        return value
    return run


def _call(name, make):
    return Call("runtime." + name, make, "runtime.%s_sync(…)" % name)


def discovered_servers(detailed=False):
    """Names of all configured servers; with detailed=True dicts with name, description, state, and why one cannot be used."""
    servers = context.current.ask("servers", {})["servers"]
    return servers if detailed else [server["name"] for server in servers]


def list_servers_sync():
    """Names of the servers usable in this run."""
    return [server["name"] for server in context.current.servers]


def list_servers():
    """Names of the servers usable in this run. Await it."""
    return _call("list_servers", _plain(list_servers_sync()))


def list_tools_sync(server):
    """The tools of one server: dicts with name, alias, description, inputSchema."""
    return [tool.facts for tool in context.current.listing(context.current.server_name(server)).tools]


def list_tools(server):
    """The tools of one server: dicts with name, alias, description, inputSchema. Await it."""
    async def run():
        listing = await context.current.listing_async(context.current.server_name(server))
        return [tool.facts for tool in listing.tools]
    return _call("list_tools", run)


def describe_server(name):
    """Name, alias, description and cwd of a server, and its tools with name, alias, description and input_schema."""
    listing = context.current.listing(context.current.server_name(name))
    tools = [{"name": tool.name, "alias": tool.alias, "description": tool.facts.get("description"),
              "input_schema": tool.facts.get("inputSchema")} for tool in listing.tools]
    return {**listing.server, "tools": tools}


def list_loaded_server_metadata():
    """describe_server() of every server usable in this run; one that fails has `error` instead of tools."""
    found = []
    for server in context.current.servers:
        try:
            found.append(describe_server(server["name"]))
        except RuntimeError as failure:
            found.append({"name": server["name"], "alias": server["alias"], "tools": [], "error": str(failure)})
    return found


def _docs_request(server, tool, detail):
    request = {"server": context.current.server_name(server), "detail": detail}
    if tool is not None:
        request["tool"] = tool
    return request


def query_tool_docs_sync(server, tool=None, detail="summary"):
    """Docs of one tool, or of all tools of a server; detail="full" adds the schemas."""
    return context.current.ask("query_tool_docs", _docs_request(server, tool, detail), tool)["tools"]


def query_tool_docs(server, tool=None, detail="summary"):
    """Docs of one tool, or of all tools of a server; detail="full" adds the schemas. Await it."""
    async def run():
        return (await context.current.ask_async("query_tool_docs", _docs_request(server, tool, detail), tool))["tools"]
    return _call("query_tool_docs", run)


def search_tool_docs_sync(query, limit=5, detail="summary"):
    """Tools of all usable servers that fit the words, the best first."""
    return context.current.ask("search_tool_docs", {"query": query, "limit": limit, "detail": detail})["results"]


def search_tool_docs(query, limit=5, detail="summary"):
    """Tools of all usable servers that fit the words, the best first. Await it."""
    async def run():
        request = {"query": query, "limit": limit, "detail": detail}
        return (await context.current.ask_async("search_tool_docs", request))["results"]
    return _call("search_tool_docs", run)


def _arguments(arguments):
    if arguments is not None and not isinstance(arguments, dict):
        raise TypeError("arguments must be a dict, not %s" % type(arguments).__name__)
    return (dict(arguments),) if arguments else ()


def call_tool_sync(server, tool, arguments=None, *, raw=False):
    """Calls a tool by name. With raw=True the server's whole CallToolResult as a dict, also when it is an error."""
    name, given = context.current.server_name(server), _arguments(arguments)
    request = request_for(context.current.listing(name), name, tool, given, {})
    result = context.current.ask("call_tool", request, request["tool"])
    return result if raw else to_python(result, name, request["tool"])


def call_tool(server, tool, arguments=None, *, raw=False):
    """Calls a tool by name; await it. With raw=True the server's whole CallToolResult as a dict, also when it is an error."""
    name, given = context.current.server_name(server), _arguments(arguments)

    async def run():
        request = request_for(await context.current.listing_async(name), name, tool, given, {})
        result = await context.current.ask_async("call_tool", request, request["tool"])
        return result if raw else to_python(result, name, request["tool"])
    return _call("call_tool", run)


def capability_summary():
    """The manual of these helpers."""
    return context.current.ask("capability_summary", {})["text"]


def save_tool(function):
    """Keeps a function's source on the host, for later runs: `from mcp.tools import its_name`. Returns the function."""
    source = saved.source_of(function)
    name = function.__name__
    context.current.ask("save_tool", {"name": name, "source": source})
    if name not in context.current.saved_tools:
        context.current.saved_tools.append(name)
    saved.forget(name)
    return function


def saved_tools():
    """The saved tools: dicts with name and source."""
    return context.current.ask("saved_tools", {})["tools"]


def delete_tool(name):
    """Removes a saved tool; whether there was one."""
    deleted = context.current.ask("delete_tool", {"name": name})["deleted"]
    if name in context.current.saved_tools:
        context.current.saved_tools.remove(name)
    saved.forget(name)
    return deleted


def progress(done, total=None, message=None):
    """Tells the client how far the program is: progress(3, 10, "third file")."""
    report = {"done": float(done)}
    if total is not None:
        report["total"] = float(total)
    if message is not None:
        report["message"] = str(message)[:500]
    context.current.channel.notify("progress", report)


PUBLIC = ("discovered_servers", "list_servers", "list_servers_sync", "list_tools", "list_tools_sync", "describe_server",
          "list_loaded_server_metadata", "query_tool_docs", "query_tool_docs_sync", "search_tool_docs",
          "search_tool_docs_sync", "call_tool", "call_tool_sync", "capability_summary", "save_tool", "saved_tools",
          "delete_tool", "progress")
