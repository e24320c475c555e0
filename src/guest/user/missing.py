"""The worker: a server that code names and that is not there: which of the possible reasons it is, and what to do."""
import difflib
import re

from . import context
from .listing import letters

NAME = re.compile(r"(?:mcp_|mcp\.servers\.)(\w+)")
MOST_CAUSES = 50


def why_not(wanted):
    """A sentence, or None where the server is there. MCPError where the host cannot be asked."""
    wanted = str(wanted)
    servers = context.current.ask("servers", {})["servers"]
    same = [server for server in servers if wanted in (server["name"], server["alias"])]
    alike = [server for server in servers if letters(wanted) == letters(server["name"])]
    for server in (same or alike)[:1]:
        if not server["usable"]:
            return server.get("reason") or "the server %r cannot be used in this run" % server["name"]
        return None if same else "the server %r is mcp_%s here" % (server["name"], server["alias"])
    names = {server["alias"]: server for server in servers}
    names.update((server["name"], server) for server in servers)
    near = dict.fromkeys(shown(names[name]) for name in difflib.get_close_matches(wanted, list(names), 3))
    if near:
        return "no server is called %r; near: %s" % (wanted[:100], ", ".join(near))
    there = ", ".join("mcp_" + server["alias"] for server in servers[:10])
    return "no server %r is configured (%s); the user adds one in ~/MCPs/*.json and starts the client anew" % (
        wanted[:100], "there are: " + there + (", …" if len(servers) > 10 else "") if there else "there is none at all")


def shown(server):
    """The name in Python, and the configured one where that differs."""
    name, alias = server["name"], server["alias"]
    return "mcp_" + alias if name == alias else "mcp_%s (%s)" % (alias, name)


def explain(failure):
    """Adds the sentence to a NameError or ModuleNotFoundError that ended the program, also to one that lies behind it."""
    seen, todo = set(), [failure]
    while todo and len(seen) < MOST_CAUSES:
        item = todo.pop()
        if item is None or id(item) in seen:
            continue
        seen.add(id(item))
        todo += [item.__cause__, item.__context__, *getattr(item, "exceptions", ())]
        if type(item) in (NameError, ModuleNotFoundError) and len(item.args) == 1 and isinstance(item.args[0], str):
            add_reason(item)


def add_reason(failure):
    found = re.search("'([^']*)'", failure.args[0])
    name = NAME.fullmatch(found[1]) if found else None
    try:
        reason = why_not(name[1]) if name else None
    except Exception:  # the host is gone, or its answer is none
        return
    if reason is None:
        return
    failure.args = ("%s: %s" % (failure.args[0], reason),)
    if isinstance(failure, NameError):
        failure.name = None  # Python would guess as well, among names that are no servers
    else:
        failure.msg = failure.args[0]
