"""How a conversation is written: its blocks, and messages laid out to be read."""
import json
import zlib

WIDE = 120

# What differs from run to run, and is left out where it is 0.
VARYING_MEMBERS = {"durationMs", "cpuMs", "peakMemoryBytes"}


def settle(value):
    """A message without what varies, and long texts cut: their length and checksum stand for the rest."""
    if isinstance(value, dict):
        return {key: settle(each) for key, each in value.items() if key not in VARYING_MEMBERS}
    if isinstance(value, list):
        return [settle(each) for each in value]
    if isinstance(value, str):
        if len(value) > 300:
            value = "%s… <%d characters, crc %08x>" % (value[:160], len(value), zlib.crc32(value.encode()))
    return value


def laid_out(value, taken=2, depth=1):
    """JSON on one line where it fits, else a member a line. `taken`: of its line by what stands before it."""
    flat = json.dumps(value, ensure_ascii=False)
    if taken + len(flat) <= WIDE or not isinstance(value, (dict, list)) or not value:
        return flat
    pad = "  " * depth
    if isinstance(value, dict):
        lines = [pad + json.dumps(key) + ": " + laid_out(each, 2 * depth + len(key) + 6, depth + 1) for key, each in value.items()]
    else:
        lines = [pad + laid_out(each, 2 * depth + 2, depth + 1) for each in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return "%s\n%s\n%s%s" % (ends[0], ",\n".join(lines), "  " * (depth - 1), ends[1])


def server_block(line):
    message = json.loads(line)  # what is not JSON has no business on stdout, and ends the test here
    if isinstance(message, list):  # a batch is answered in any order
        message.sort(key=lambda each: str(each.get("id", "")))
    text = laid_out(settle(message))
    return "< " + text.replace("\n", "\n  ") + "\n"


class Block:
    """Some lines of a conversation that belong together: kind is their first character."""

    def __init__(self, line):
        self.kind = line[0] if line[:1] in ("#", "$", ">", "<", "~") else ""
        self.lines = [line]

    def text(self):
        return "\n".join(self.lines) + "\n"

    def body(self):
        return "\n".join(line[2:] for line in self.lines)


def read(text):
    blocks = []
    for line in text.splitlines():
        if blocks and blocks[-1].kind in ("<", ">") and line.startswith("  "):
            blocks[-1].lines.append(line)
        else:
            blocks.append(Block(line))
    return blocks
