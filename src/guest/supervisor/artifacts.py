"""PID 1: the files that code left in /workspace/artifacts, taken at the end of an execution.

User code made them, so nothing is believed: directories and files are opened without following links, only plain files are read,
and every count and size has a bound.
"""
import os
import stat
from binascii import b2a_base64

DIRECTORY = "/workspace/artifacts"
MAX_FILE, MAX_TOTAL = 8 << 20, 64 << 20
MAX_ENTRIES, MAX_DEPTH = 1000, 8

OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Artifacts:
    """Remembers what was taken, so that a session's next execution gives only what is new or changed."""

    def __init__(self, directory=DIRECTORY):
        self.directory = directory
        self.seen = {}

    def prepare(self):
        """Makes the directory, so that code may write there at once."""
        try:
            os.mkdir(self.directory)
        except OSError:
            pass  # there already, or no place for one: then nothing will be found in it

    def changed(self):
        """Yields the params of one `artifact` notification for each new or changed file; reads one file at a time."""
        budget = [MAX_TOTAL, MAX_ENTRIES]
        try:
            top = os.open(self.directory, OPEN | os.O_DIRECTORY)
        except OSError:
            return
        try:
            yield from self._walk(top, "", 0, budget)
        finally:
            os.close(top)

    def _walk(self, directory, prefix, depth, budget):
        try:
            names = sorted(os.listdir(directory))
        except OSError:
            return
        for name in names:
            budget[1] -= 1
            if budget[1] < 0:
                if budget[1] == -1:
                    yield {"name": prefix + printable(name), "skipped": "more than %d files" % MAX_ENTRIES}
                return
            try:
                fd = os.open(name, OPEN, dir_fd=directory)
            except OSError:
                continue  # a link, a socket, or gone
            try:
                facts = os.fstat(fd)
                if stat.S_ISDIR(facts.st_mode) and depth < MAX_DEPTH:
                    yield from self._walk(fd, prefix + printable(name) + "/", depth + 1, budget)
                elif stat.S_ISREG(facts.st_mode):
                    yield from self._take(fd, prefix + printable(name), facts, budget)
            finally:
                os.close(fd)

    def _take(self, fd, name, facts, budget):
        state = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        if self.seen.get(name) == state:
            return
        self.seen[name] = state
        if facts.st_size > MAX_FILE:
            yield {"name": name, "skipped": "%d bytes; at most %d are taken" % (facts.st_size, MAX_FILE)}
        elif facts.st_size > budget[0]:
            yield {"name": name, "skipped": "more than %d bytes together" % MAX_TOTAL}
        else:
            data = read_up_to(fd, MAX_FILE)
            budget[0] -= len(data)
            yield {"name": name, "data": b2a_base64(data, newline=False).decode()}


def read_up_to(fd, limit):
    pieces = []
    while limit > 0:
        try:
            piece = os.read(fd, min(limit, 1 << 20))
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def printable(name):
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
