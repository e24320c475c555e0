"""A small MCP server on stdio over the text files of one folder, for where no other can be had. Python's standard library only.

folder_server.py [--write] FOLDER

Tools: search_files(pattern), read_text_file(path), search_text(words); with --write also write_text_file(path, text). Paths are within the
folder, whatever is asked for. Nothing is fetched and nothing is started.
"""
import json
import pathlib
import sys

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MOST_FILES, MOST_BYTES, MOST_LINES = 1000, 1 << 20, 200


def text_of(words):
    return {"type": "string", "description": words}


def tool(name, description, read_only=True, **properties):
    schema = {"type": "object", "properties": {key: text_of(words) for key, words in properties.items()}, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}


READING = [tool("search_files", "The paths of the files that fit a pattern, a line each", pattern="as in a shell; ** is any folder"),
           tool("read_text_file", "The text of a file", path="within the folder"),
           tool("search_text", "The lines that have the words, as path:number: line", words="as they stand in the line, in any case")]
WRITING = [tool("write_text_file", "Writes a file, in place of one that is there", False, path="within the folder", text="all of it")]


class Refused(Exception):
    """What a tool answers with instead."""


class Folder:
    def __init__(self, path, writes):
        self.root, self.writes = pathlib.Path(path).resolve(), writes
        self.tools = READING + (WRITING if writes else [])

    def place(self, path):
        """Where a path is; links are followed before it is looked at."""
        found = (self.root / path).resolve()
        if found != self.root and self.root not in found.parents:
            raise Refused("%s is not within the folder" % path)
        return found

    def files(self, pattern):
        if pathlib.PurePath(pattern).is_absolute() or ".." in pathlib.PurePath(pattern).parts:
            raise Refused("the pattern must stay within the folder")
        found = sorted(path for path in self.root.glob(pattern) if path.is_file() and self.root in path.resolve().parents)
        return found[:MOST_FILES]

    def text(self, path):
        try:
            with path.open("rb") as file:
                return file.read(MOST_BYTES).decode("utf-8", "replace")
        except OSError as error:
            raise Refused("%s: %s" % (path.relative_to(self.root), error.strerror)) from None

    def search_files(self, pattern):
        return "\n".join(str(path.relative_to(self.root)) for path in self.files(pattern))

    def read_text_file(self, path):
        return self.text(self.place(path))

    def search_text(self, words):
        found = []
        for path in self.files("**/*"):
            for number, line in enumerate(self.text(path).splitlines(), 1):
                if words.lower() in line.lower():
                    found.append("%s:%d: %s" % (path.relative_to(self.root), number, line[:200]))
                if len(found) == MOST_LINES:
                    return "\n".join(found + ["… and more"])
        return "\n".join(found)

    def write_text_file(self, path, text):
        place = self.place(path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Refused("%s: %s" % (path, error.strerror)) from None
        return "%d characters in %s" % (len(text), path)

    def call(self, name, arguments):
        known = next((each for each in self.tools if each["name"] == name), None)
        if not known:
            raise Refused("there is no tool %s" % name)
        for key in known["inputSchema"]["required"]:
            if not isinstance(arguments.get(key), str):
                raise Refused("%s: expected a string" % key)
        try:
            return getattr(self, name)(**{key: arguments[key] for key in known["inputSchema"]["required"]})
        except (ValueError, RuntimeError) as error:  # of a path with a NUL, of links in a circle
            raise Refused(str(error)) from None


def answer(folder, method, params):
    """The result of a request, or None for a method that is not known."""
    if method == "initialize":
        wanted = params.get("protocolVersion")
        return {"protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0], "capabilities": {"tools": {}},
                "serverInfo": {"name": "folder", "version": "1"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": folder.tools}
    if method != "tools/call":
        return None
    try:
        said, failed = folder.call(params.get("name"), params.get("arguments") or {}), False
    except Refused as error:
        said, failed = str(error), True
    return {"content": [{"type": "text", "text": said}], "isError": failed}


def main():
    words = sys.argv[1:]
    writes = words[:1] == ["--write"]
    if len(words) != 1 + writes or not pathlib.Path(words[-1]).is_dir():
        sys.exit(__doc__)
    folder = Folder(words[-1], writes)
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict) or "method" not in message or "id" not in message:
            continue  # no request
        params = message.get("params")
        result = answer(folder, message["method"], params if isinstance(params, dict) else {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": "no such method: %s" % message["method"]}
        else:
            reply["result"] = result
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
