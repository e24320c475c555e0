"""The worker: what a call returns to Python, made from the server's CallToolResult."""
import json
import os

from . import wire
from .content import decoded
from .errors import ContentError, MCPError
from .records import Record

MOST_SHOWN = 1000  # characters of structured content in an error's text
scan_records = wire.scanner(Record)
show_json = json.JSONEncoder(ensure_ascii=False, default=repr).encode  # whatever user code does to the module later


class Media:
    """An image, a sound, or a resource that a tool returned. `display(it)` puts it into the result. `.data`, `bytes()` and
    `.save()` raise ContentError where the server's content cannot be decoded."""

    __module__ = "mcp.runtime"

    def __init__(self, kind, mime_type=None, data=None, text=None, uri=None, name=None, annotations=None):
        self.kind = kind
        self.mime_type = mime_type
        self.data = data
        self.text = text
        self.uri = uri
        self.name = name
        self.annotations = annotations

    @property
    def data(self):
        """The bytes; None where it has none, such as a link."""
        if self._fault is not None:
            message, server, tool = self._fault
            raise ContentError(message, server, tool)
        return self._data

    @data.setter
    def data(self, value):
        self._data, self._fault = value, None

    @property
    def fault(self):
        """Why its content cannot be decoded; None where it can."""
        return self._fault and self._fault[0]

    def decode(self, value, server, tool):
        """Takes the bytes from what the server sent for them. What cannot be decoded raises where it is used."""
        try:
            self._data, kind = decoded(value)
            self.mime_type = self.mime_type or kind
        except ValueError as failure:
            what = " ".join(str(part)[:100] for part in (self.kind, self.mime_type, self.uri) if part)
            self._data = None
            self._fault = "%s.%s: the content of its %s cannot be decoded: %s" % (server, tool, what, failure), server, tool
        return self

    def save(self, path):
        """Writes the content to a file and returns the path."""
        content = bytes(self)
        with open(path, "wb") as file:
            file.write(content)
        return os.fspath(path)

    def __bytes__(self):
        return self.data if self.data is not None else (self.text or "").encode("utf-8", "surrogatepass")

    def __repr__(self):
        parts = [self.kind, self.mime_type, self.uri]
        if self._fault is not None:
            parts.append("its content cannot be decoded")
        elif self._data is not None:
            parts.append("%d bytes" % len(self._data))
        if self.text is not None:
            parts.append("%d characters" % len(self.text))
        return "<%s>" % ", ".join(str(part) for part in parts if part)


def from_block(block, server, tool):
    """One content block as Python's: `str` for text, Media for what has a type, the dict itself for anything new."""
    if not isinstance(block, dict):
        return block
    kind = block.get("type")
    if kind == "text":
        return block.get("text", "")
    if kind in ("image", "audio"):
        media = Media(kind, block.get("mimeType"), annotations=block.get("annotations"))
        return media.decode(block.get("data"), server, tool)
    if kind == "resource" and isinstance(block.get("resource"), dict):
        inner = block["resource"]
        media = Media(kind, inner.get("mimeType"), None, inner.get("text"), inner.get("uri"),
                      annotations=block.get("annotations"))
        return media.decode(inner["blob"], server, tool) if inner.get("blob") is not None else media
    if kind == "resource_link":
        return Media(kind, block.get("mimeType"), uri=block.get("uri"), name=block.get("name"),
                     annotations=block.get("annotations"))
    return block


def parsed(text):
    """The value of a text that is a JSON object or array; else the text."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return wire.loads(text.encode("utf-8"), scan_records)
        except ValueError:  # also what cannot be encoded
            pass
    return text


def to_python(result, server, tool):
    """The value that a call returns, or MCPError where the server says that it failed."""
    if not isinstance(result, dict):
        return result
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    structured = result.get("structuredContent")
    if result.get("isError") is True:
        raise MCPError(error_text(blocks, structured, server, tool), server, tool, blocks, structured)
    if structured is not None:
        return structured
    values = [from_block(block, server, tool) for block in blocks]
    if not values:
        return None
    if all(isinstance(value, str) for value in values):
        return parsed(values[0]) if len(values) == 1 else "\n".join(values)
    return values[0] if len(values) == 1 else values


def error_text(blocks, structured, server, tool):
    """All that the server said of its failure, the structured part as JSON where the text does not hold it already."""
    texts = [text for text in map(text_of, blocks) if text]
    if structured is not None and parsed("\n".join(texts)) != structured:
        texts.append(bounded_json(structured))
    if texts:
        return "\n".join(texts)
    kinds = ", ".join("%.40s" % block.get("type") for block in blocks[:10] if isinstance(block, dict) and block.get("type") != "text")
    return "%s: the tool %s failed without saying why%s" % (server, tool, "; in .content: " + kinds if kinds else "")


def text_of(block):
    """The text of a content block, also of one that holds a file."""
    block = block if isinstance(block, dict) else {}
    inner = block.get("resource")
    text = inner.get("text") if isinstance(inner, dict) else block.get("text")
    return text if isinstance(text, str) else ""


def bounded_json(value):
    try:
        text = show_json(value)
    except (ValueError, RecursionError):
        return "(structured content that cannot be shown)"
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "… (all of it: .structured)"
