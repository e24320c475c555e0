"""The worker: what a call returns to Python, made from the server's CallToolResult."""
import base64
import os

from . import wire
from .errors import MCPError


class Media:
    """An image, a sound, or a resource that a tool returned. `display(it)` puts it into the result."""

    __module__ = "mcp.runtime"

    def __init__(self, kind, mime_type=None, data=None, text=None, uri=None, name=None, annotations=None):
        self.kind = kind
        self.mime_type = mime_type
        self.data = data
        self.text = text
        self.uri = uri
        self.name = name
        self.annotations = annotations

    def save(self, path):
        """Writes the content to a file and returns the path."""
        content = self.data if self.data is not None else (self.text or "").encode("utf-8", "surrogatepass")
        with open(path, "wb") as file:
            file.write(content)
        return os.fspath(path)

    def __bytes__(self):
        return self.data if self.data is not None else (self.text or "").encode("utf-8", "surrogatepass")

    def __repr__(self):
        parts = [self.kind, self.mime_type, self.uri]
        if self.data is not None:
            parts.append("%d bytes" % len(self.data))
        if self.text is not None:
            parts.append("%d characters" % len(self.text))
        return "<%s>" % ", ".join(str(part) for part in parts if part)


def decoded(text):
    """Bytes of base64; what is none gives nothing."""
    try:
        return base64.b64decode(text if isinstance(text, str) else "")
    except ValueError:
        return b""


def from_block(block):
    """One content block as Python's: `str` for text, Media for what has a type, the dict itself for anything new."""
    if not isinstance(block, dict):
        return block
    kind = block.get("type")
    if kind == "text":
        return block.get("text", "")
    if kind in ("image", "audio"):
        return Media(kind, block.get("mimeType"), decoded(block.get("data")), annotations=block.get("annotations"))
    if kind == "resource" and isinstance(block.get("resource"), dict):
        inner = block["resource"]
        data = decoded(inner["blob"]) if "blob" in inner else None
        return Media(kind, inner.get("mimeType"), data, inner.get("text"), inner.get("uri"),
                     annotations=block.get("annotations"))
    if kind == "resource_link":
        return Media(kind, block.get("mimeType"), uri=block.get("uri"), name=block.get("name"),
                     annotations=block.get("annotations"))
    return block


def parsed(text):
    """The value of a text that is a JSON object or array; else the text."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return wire.loads(text.encode("utf-8"))
        except ValueError:  # also what cannot be encoded
            pass
    return text


def to_python(result, server, tool):
    """The value that a call returns, or MCPError where the server says that it failed."""
    if not isinstance(result, dict):
        return result
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    if result.get("isError") is True:
        texts = [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
        message = "\n".join(texts) or "%s: the tool %s failed without saying why" % (server, tool)
        raise MCPError(message, server, tool, blocks)
    if "structuredContent" in result and result["structuredContent"] is not None:
        return result["structuredContent"]
    values = [from_block(block) for block in blocks]
    if not values:
        return None
    if all(isinstance(value, str) for value in values):
        return parsed(values[0]) if len(values) == 1 else "\n".join(values)
    return values[0] if len(values) == 1 else values
