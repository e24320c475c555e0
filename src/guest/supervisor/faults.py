"""PID 1: takes our frames out of what faulthandler writes. It writes from C, at a crash too, so that nothing in the worker could do it."""

START = b'  File "'
OURS = START + b"<cordon "
OUTERMOST = (OURS + b"_cordon.program>", OURS + b"_cordon.interpreter>", OURS + b"_cordon.worker>")  # all behind these is ours
LONGEST_LINE = 1200


class FaultLines:
    """A filter for stderr. Lines pass as they come; only one that begins as a frame does is held until it ends."""

    def __init__(self):
        self.held = b""
        self.at_line_start = True
        self.behind_ours = False  # the frames that follow called ours

    def feed(self, data):
        if not self.held and not self.behind_ours and START not in data and not self._may_begin(data):
            self.at_line_start = data.endswith(b"\n") if data else self.at_line_start
            return data
        data, self.held = self.held + data, b""
        lines = data.split(b"\n")
        kept = []
        for index, line in enumerate(lines):
            whole = index < len(lines) - 1
            if not whole and self.at_line_start and len(line) < LONGEST_LINE and (line.startswith(START) or START.startswith(line)):
                self.held = line
            elif not (self.at_line_start and whole and self._is_ours(line)):
                kept.append(line + (b"\n" if whole else b""))
            self.at_line_start = whole or self.at_line_start and not line
        if self.held:
            self.at_line_start = True
        return b"".join(kept)

    def finish(self):
        held, self.held = self.held, b""
        return held

    def _may_begin(self, data):
        """Whether it ends in what may be the head of a frame's line."""
        start = data.rfind(b"\n") + 1
        last = data[start:]
        return (start > 0 or self.at_line_start) and bool(last) and START.startswith(last)

    def _is_ours(self, line):
        if not is_frame(line):
            self.behind_ours = False
            return False
        self.behind_ours = self.behind_ours or line.startswith(OUTERMOST)
        return self.behind_ours or line.startswith(OURS)


def is_frame(line):
    """As faulthandler writes it: `  File "x.py", line 3 in f`, where tracebacks have a comma before `in`."""
    if not line.startswith(START):
        return False
    number, _, rest = line.rpartition(b'", line ')[2].partition(b" ")
    return rest.startswith(b"in ") and (number.isdigit() or number == b"???")
