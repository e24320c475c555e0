"""The worker, seen by user code: what a call to the host raises. All are `MCPError`; the others let a program tell them apart."""


class MCPError(RuntimeError):
    """A call that failed. `.server` and `.tool` name it. Where the server sent more: `.content` holds its content blocks,
    `.structured` its structured content, or the `data` of its protocol error; else [] and None."""

    __module__ = "mcp.runtime"

    def __init__(self, message="", server=None, tool=None, content=None, structured=None):
        super().__init__(message)
        self.server = server
        self.tool = tool
        self.content = [] if content is None else content
        self.structured = structured

    def __reduce__(self):
        return type(self), (str(self), self.server, self.tool, self.content, self.structured)


class ServerNotFound(MCPError, LookupError):
    """No server of this name can be used in this run."""
    __module__ = "mcp.runtime"


class ToolNotFound(MCPError, AttributeError):
    """The server has no tool of this name."""
    __module__ = "mcp.runtime"


class ArgumentError(MCPError, TypeError):
    """The arguments do not fit the tool's input schema."""
    __module__ = "mcp.runtime"


class NotAllowed(MCPError):
    """The user's policy forbids this call."""
    __module__ = "mcp.runtime"


class ResultTooLarge(MCPError):
    """The result exceeds what can be carried."""
    __module__ = "mcp.runtime"


class ContentError(MCPError, ValueError):
    """An image, a sound or a file that the server sent in a form that cannot be decoded."""
    __module__ = "mcp.runtime"


class CallTimeout(MCPError):
    """The server did not answer in its time."""
    __module__ = "mcp.runtime"


class CallCancelled(MCPError):
    """The execution that made the call has ended."""
    __module__ = "mcp.runtime"


BY_KIND = {"unknown_server": ServerNotFound, "unknown_tool": ToolNotFound, "arguments": ArgumentError,
           "policy": NotAllowed, "too_large": ResultTooLarge, "timeout": CallTimeout, "cancelled": CallCancelled}


def from_wire(error, server=None, tool=None):
    """The exception for a JSON-RPC error object of the host's."""
    error = error if isinstance(error, dict) else {}
    data = error.get("data")
    kind = data.get("kind") if isinstance(data, dict) else None
    structured = data.get("structured") if isinstance(data, dict) else None
    return BY_KIND.get(kind, MCPError)(str(error.get("message", "the call failed")), server, tool, None, structured)
