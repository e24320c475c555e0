"""PID 1: output as a terminal would show it in the end. A progress bar that is drawn a thousand times on one line becomes one line.

Understood are carriage return, backspace, and the sequences that move the cursor or erase. Colours stay as they are. What is drawn
is held back while it can still be redrawn: the line at hand, and, once something was redrawn, as many lines as a screen has.
"""
import codecs

BYTEWISE = "surrogateescape"
ROWS = 24           # as many lines can be redrawn,
COLUMNS = 1000      # the cursor moves no further to the right than this,
HELD = 8 << 10      # and what is held is let go when it is more characters than these
LONGEST_SEQUENCE = 64
BESIDE = 512        # characters of colours beside one character; more are dropped
MOVES = "ABCDEFGHJKf"


class Terminal:
    """A filter: bytes as they came in, bytes as they are to be shown out."""

    def __init__(self):
        self.decoder = codecs.getincrementaldecoder("utf-8")(BYTEWISE)
        self.rows = [[]]      # each a list of cells: one character with the colours that stand before or after it
        self.row = self.column = 0
        self.size = 0         # an upper bound of the characters in the rows: to count them at each turn would take too long
        self.drawn = 0        # how many of the rows, from the first, belong to something that is redrawn
        self.before = ""      # colours that wait for the first character of a row
        self.unfinished = ""  # the beginning of a sequence, or a carriage return that may be half a line end

    def feed(self, data):
        """What will not change any more."""
        if not (self.drawn or self.unfinished or len(self.rows) > 1 or b"\r" in data or b"\b" in data or b"\x1b" in data):
            return self._pass(data)
        text = self.unfinished + self.decoder.decode(data)
        self.unfinished = ""
        if text.endswith("\r"):
            self.unfinished, text = "\r", text[:-1]
        done = []
        self._draw(text.replace("\r\n", "\n"), done)
        return "".join(done).encode("utf-8", BYTEWISE)

    def finish(self):
        """What is still held, at the end of the stream."""
        text = (self.decoder.decode(b"", True) + self.unfinished).rstrip("\r")
        self.unfinished = ""
        done = []
        self._draw(text, done, last=True)
        done.append("\n".join(map(self._shown, self.rows)) + self.before)
        self.__init__()
        return "".join(done).encode("utf-8", BYTEWISE)

    def line(self):
        """The line that is being redrawn now, for progress; nothing where none is."""
        lines = [self._shown(row).strip() for row in self.rows] if self.drawn else []
        return next((line[:200] for line in reversed(lines) if line), "")

    # Text without anything to draw: it is not even decoded, but for the line that has not ended

    def _pass(self, data):
        end = data.rfind(b"\n") + 1
        if len(data) - end + self.size > 2 * HELD:
            end = len(data)
        out = b""
        if end:
            out = ("".join(self.rows[0]) + self.before).encode("utf-8", BYTEWISE) + self.decoder.getstate()[0] + data[:end]
            self.decoder.reset()
            self.rows, self.column, self.size, self.before = [[]], 0, 0, ""
        text = self.decoder.decode(data[end:])
        if text:
            self._put(text)
        return out

    # Drawing

    def _draw(self, text, done, last=False):
        first, *rest = text.split("\x1b")
        self._write(first, done)
        for index, piece in enumerate(rest):
            end = end_of_sequence(piece)
            if end == 0 and index == len(rest) - 1 and len(piece) < LONGEST_SEQUENCE and not last:
                self.unfinished = "\x1b" + piece + self.unfinished
                return
            self._obey(piece[:max(end, 0)])
            self._write(piece[max(end, 0):], done)

    def _write(self, text, done):
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if number:
                self._next_row(done)
            if line:
                self._overwrite(line, done)

    def _overwrite(self, line, done):
        for number, part in enumerate(line.split("\r")):
            if number:
                self.column = 0
                self._redrawn()
            for again, run in enumerate(part.split("\b")):
                if again:
                    self.column = max(0, self.column - 1)
                    self._redrawn()
                if run:
                    self._put(run)
        self._bound(done)

    def _put(self, run):
        cells = list(run)
        if self.before and self.column == 0:
            cells[0] = self.before + cells[0]
            self.before = ""
        row = self.rows[self.row]
        if self.column > len(row):
            row += " " * (self.column - len(row))
        row[self.column:self.column + len(cells)] = cells
        self.column += len(cells)
        self.size += len(run)

    def _bound(self, done):
        """Lets go of what has become too long to hold; what comes next goes on behind it."""
        if self.size <= 2 * HELD:
            return
        self.size = sum(len(cell) for row in self.rows for cell in row)
        if self.size > HELD:
            done += self._let_go(self.row)
            done += self.rows[0]
            self.rows[0], self.column = [], 0
            self.size = sum(len(cell) for row in self.rows for cell in row)

    def _next_row(self, done):
        self.row, self.column = self.row + 1, 0
        if self.row == len(self.rows):
            self.rows.append([])
        if not self.drawn:
            done += self._let_go(self.row)
            self.size = sum(map(len, self.rows[0]))
        elif len(self.rows) > ROWS:
            done += self._let_go(1)

    def _let_go(self, count):
        gone = [self._shown(row) + "\n" for row in self.rows[:count]]
        del self.rows[:count]
        self.row, self.drawn = self.row - count, max(0, self.drawn - count)
        return gone

    def _redrawn(self):
        self.drawn = max(self.drawn, self.row + 1)

    def _shown(self, row):
        text = "".join(row)
        return text.rstrip(" ") if self.drawn else text

    # Sequences

    def _obey(self, sequence):
        """`sequence` is what follows the escape: `[2K`; empty where it is none that we know."""
        final = sequence[-1:]
        if not sequence or final not in MOVES and sequence[:2] != "[?":
            self._keep("\x1b" + sequence)
            return
        self._redrawn()
        if sequence[1] == "?":
            return  # the cursor is hidden or shown: who does that will redraw
        words = sequence[1:-1].split(";")
        numbers = [int(word[:6]) if word.isdecimal() and word.isascii() else None for word in words]
        self._move(final, numbers[0])

    def _keep(self, text):
        """Colours, and whatever else takes no place: it stays beside the character before it."""
        row = self.rows[self.row]
        if not 0 < self.column <= len(row):
            self.before = (self.before + text)[:BESIDE]
        elif len(row[self.column - 1]) < BESIDE:
            row[self.column - 1] += text
            self.size += len(text)

    def _move(self, final, number):
        row = self.rows[self.row]
        step = max(1, number or 1)
        if final in "AF":
            self.row = max(0, self.row - step)
        elif final in "BE":
            self.row = min(len(self.rows) - 1, self.row + step)
        elif final == "C":
            self.column = max(self.column, min(COLUMNS, self.column + step))
        elif final == "D":
            self.column = max(0, self.column - step)
        elif final == "G":
            self.column = min(COLUMNS, step - 1)
        elif final == "K":
            self._erase_in(row, number or 0)
        elif final == "J":
            self._erase_screen(number or 0)
        elif final in "Hf":
            self.row = self.column = 0
        if final in "EF":
            self.column = 0

    def _erase_in(self, row, number):
        if number == 0:
            del row[self.column:]
        elif number == 1:
            row[:self.column + 1] = " " * min(len(row), self.column + 1)
        else:
            row.clear()

    def _erase_screen(self, number):
        if number == 0:
            self._erase_in(self.rows[self.row], 0)
            del self.rows[self.row + 1:]
        elif number in (2, 3):
            self.rows, self.row, self.drawn = [[]], 0, 1


def end_of_sequence(piece):
    """How long the sequence at the head of what follows an escape is; 0 where it has not ended, -1 where it is none of those that end so."""
    if not piece:
        return 0
    if piece[0] != "[":
        return -1
    for index in range(1, min(len(piece), LONGEST_SEQUENCE)):
        if "@" <= piece[index] <= "~":
            return index + 1
        if not " " <= piece[index] <= "?":
            return -1
    return 0 if len(piece) < LONGEST_SEQUENCE else -1


class AsItCame:
    """For those who want every byte: the same names, and nothing is done."""
    drawn = 0

    @staticmethod
    def feed(data):
        return data

    @staticmethod
    def finish():
        return b""

    @staticmethod
    def line():
        return ""
