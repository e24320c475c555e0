"""PID 1: what is kept of one output stream. The first characters go to the host as they come, the last are kept, the middle is counted.

Memory is flat however much is printed: beyond the head nothing is decoded, and only the last bytes are held.
"""
import codecs

# One byte that is not UTF-8 becomes one lone surrogate, so that characters can be counted and yet turned back into bytes.
BYTEWISE = "surrogateescape"


def printable(text):
    """Text with bytes that were not UTF-8 as U+FFFD."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-8", BYTEWISE).decode("utf-8", "replace")


class Stream:
    """One of stdout and stderr, during one execution."""

    def __init__(self, head, tail):
        self.head_left = head
        self.tail = tail
        self.total_bytes = 0
        self.shown_bytes = 0
        self.decoder = codecs.getincrementaldecoder("utf-8")(BYTEWISE)
        self.last = bytearray()
        self.room = 4 * tail + 4  # bytes that surely hold the last `tail` characters

    def feed(self, data):
        """Takes bytes as they were read; the text that is to be sent now (may be empty)."""
        self.total_bytes += len(data)
        if self.head_left == 0:
            self._keep(data)
            return ""
        text = self.decoder.decode(data)
        if len(text) < self.head_left:
            return self._show(text)
        shown = text[:self.head_left]
        self._keep(text[self.head_left:].encode("utf-8", BYTEWISE) + self.decoder.getstate()[0])
        self.decoder.reset()
        return self._show(shown)

    def finish(self):
        """The end of the stream: text still to be sent (the beginning of a character that never ended), or nothing."""
        text = self.decoder.decode(b"", True)
        shown = self._show(text[:self.head_left])
        return shown

    def rest(self):
        """What the result holds of this stream."""
        text = self._last_text()[-self.tail:] if self.tail else ""
        kept = len(text.encode("utf-8", BYTEWISE))
        omitted = self.total_bytes - self.shown_bytes - kept
        return {"tail": printable(text), "omitted_bytes": omitted, "total_bytes": self.total_bytes}

    def last_line(self):
        """The last line so far that is not empty, at most 200 characters, for progress."""
        for line in reversed(bytes(self.last[-4096:]).decode("utf-8", "replace").splitlines()):
            if line.strip():
                return line.strip()[:200]
        return ""

    def beyond_head(self):
        return self.head_left == 0 and bool(self.last)

    def _show(self, text):
        self.head_left -= len(text)
        self.shown_bytes += len(text.encode("utf-8", BYTEWISE))
        return printable(text)

    def _keep(self, data):
        if len(data) >= self.room:
            self.last[:] = data[-self.room:]
        else:
            self.last += data
        if len(self.last) > 2 * self.room + (64 << 10):
            del self.last[:-self.room]

    def _last_text(self):
        data = bytes(self.last)
        if self.total_bytes - self.shown_bytes > len(data):
            data = data[-self.room:]
            start = 0  # the cut may have fallen into a character: its remains are left out
            while start < 3 and start < len(data) and data[start] & 0xC0 == 0x80:
                start += 1
            data = data[start:]
        return data.decode("utf-8", BYTEWISE)
