"""PID 1: bytes on their way to one descriptor, which is never waited for."""
import os
from collections import deque

PIECE = 1 << 20


class Outbox:
    """A queue of byte pieces. `pump` writes as much as fits now."""

    def __init__(self, fd):
        self.fd = fd
        self.pieces = deque()
        self.size = 0
        self.broken = False

    def put(self, pieces):
        """Queues one line, given as its pieces, and writes what can be written at once."""
        if self.broken:
            return
        for piece in pieces:
            self.pieces.append(memoryview(piece))
            self.size += len(piece)
        self.pump()

    def pump(self):
        """True when at least one byte went."""
        before = self.size
        try:
            while self.pieces:
                first = self.pieces[0]
                sent = os.write(self.fd, first[:PIECE])
                self.size -= sent
                if sent == len(first):
                    self.pieces.popleft()
                else:
                    self.pieces[0] = first[sent:]
        except BlockingIOError:
            pass
        except OSError:  # the other end is gone
            self.broken = True
            self.pieces.clear()
            self.size = 0
        return self.size < before
