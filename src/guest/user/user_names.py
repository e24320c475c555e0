"""The worker: the names that user code finds: the package `mcp`, and what exists without import."""
import builtins
import importlib
import importlib.machinery
import os
import sys
import types

from . import context, display, errors, missing, patching, records, runtime, saved
from .calls import Call
from .proxies import Server, Servers
from .records import Record, hidden
from .results import Media

EXCEPTIONS = (errors.MCPError, errors.ServerNotFound, errors.ToolNotFound, errors.ArgumentError, errors.NotAllowed,
              errors.ResultTooLarge, errors.ContentError, errors.CallTimeout, errors.CallCancelled)
given = {}  # name → our object, as last put into __main__


def module(name, doc, package=False):
    made = types.ModuleType(name, doc)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None, origin="run_python", is_package=package)
    if package:
        made.__path__ = []
    sys.modules[name] = made
    return made


def is_module_of_a_server(name):
    return name.startswith("mcp.servers.") or isinstance(given.get(name), Server)


class ServerModules:
    """Finds `mcp.servers.<alias>` for the servers of this run, and `mcp_<alias>`, which is there without import too."""

    def find_spec(self, name, path=None, target=None):
        if not is_module_of_a_server(name):
            return None
        server = given.get(name) or given["mcp_servers"].get(context.current.server_name(name[len("mcp.servers."):]))
        return importlib.machinery.ModuleSpec(name, self, origin="run_python") if server is not None else None

    def create_module(self, spec):
        return None

    def exec_module(self, made):
        if made.__name__ in given:
            sys.modules[made.__name__] = given[made.__name__]
            return
        server = given["mcp_servers"][context.current.server_name(made.__name__[len("mcp.servers."):])]
        fill_server_module(made, server)


def fill_server_module(made, server):
    made.__doc__ = repr(server)

    def find(name):
        if name == "__all__":  # for `import *`: never a builtin's name, nor a helper's
            return [tool for tool in dir(server) if not (hasattr(builtins, tool) or tool in given or hidden(tool))]
        return getattr(server, name)
    made.__getattr__ = find
    made.__dir__ = lambda: dir(server)


def find_server_module(name):
    """`mcp.servers.name` without an import of its own."""
    if name.startswith("__") or "mcp_servers" not in given:
        raise AttributeError(name)
    try:
        return importlib.import_module("mcp.servers." + name)
    except ImportError:
        raise AttributeError(missing.why_not(name) or "no server %r can be used in this run" % name) from None


def install(channel):
    """Once, while the container becomes warm."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    mcp = module("mcp", "The user's MCP servers, and helpers: `help(mcp.runtime)`.", package=True)
    mcp.runtime = helpers = module("mcp.runtime", "Helpers: discovery, calls by name, saved tools, progress.")
    for name in runtime.PUBLIC:
        function = getattr(runtime, name)
        function.__module__ = "mcp.runtime"
        setattr(helpers, name, function)
    for kind in EXCEPTIONS:
        setattr(helpers, kind.__name__, kind)
    helpers.Media, helpers.Call, helpers.Record, helpers.display = Media, Call, Record, display.display
    helpers.__all__ = [name for name in vars(helpers) if not name.startswith("_")]
    display.display.__module__ = "mcp.runtime"
    mcp.servers = module("mcp.servers", "One module for each server: `from mcp.servers.<alias> import *`.", package=True)
    mcp.servers.__getattr__ = find_server_module
    mcp.tools = tools = module("mcp.tools", "The user's saved tools: `from mcp.tools import name`.", package=True)

    def find_tool(name):
        if name == "__all__":
            return list(context.current.saved_tools)
        if name.startswith("__"):
            raise AttributeError(name)
        return saved.load(name, given)
    tools.__getattr__ = find_tool
    tools.__dir__ = lambda: list(context.current.saved_tools)
    mcp.MCPError = errors.MCPError
    sys.meta_path.append(ServerModules())
    patching.after_import("matplotlib.pyplot", display.prepare_pyplot)
    records.install()


def put_into(namespace, job):
    """Before each execution. What the program itself put under one of our names stays."""
    servers = Servers()
    fresh = {"mcp": sys.modules.get("mcp"), "runtime": sys.modules.get("mcp.runtime"), "mcp_servers": servers,
             "save_tool": runtime.save_tool, "display": display.display,
             "LOADED_MCP_SERVERS": tuple(server["name"] for server in job.get("servers") or [])}
    for facts in job.get("servers") or []:
        server = Server(facts["name"], facts["alias"], facts.get("description"))
        servers[facts["name"]] = server
        fresh.setdefault("mcp_" + facts["alias"], server)  # one called `servers` is reached through mcp_servers
    for name in [name for name in given if name not in fresh]:
        if namespace.get(name) is given[name]:
            del namespace[name]
    for name, value in fresh.items():
        if name not in namespace or namespace[name] is given.get(name):
            namespace[name] = value
    if given:  # an execution went before
        for name in [name for name in sys.modules if name.startswith("mcp") and is_module_of_a_server(name)]:
            del sys.modules[name]
    given.clear()
    given.update(fresh)
