"""PID 1 and the worker: JSON-RPC lines, without the json package, whose imports would double PID 1's start."""
from _json import encode_basestring_ascii, make_encoder, make_scanner

MAX_LINE = 96 << 20
READ = 120 << 10  # bytes of one read: what malloc keeps at hand; more is mapped anew for each


class _Options:
    """What the scanner asks of a json.JSONDecoder."""
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float
    memo = {}


def scanner(object_hook=None):
    """For `loads`: `object_hook` makes of each object, a dict, what is to stand in its place."""
    options = _Options()
    options.object_hook = object_hook
    return make_scanner(options)


_scan = scanner()
_encode = make_encoder(None, None, encode_basestring_ascii, None, ":", ",", False, False, False)


def loads(data, scan=_scan):
    """The value of one JSON text in UTF-8; ValueError where it is none."""
    text = bytes(data).decode("utf-8").strip()
    try:
        value, end = scan(text, 0)
    except (StopIteration, SystemError):  # the latter before Python 3.12, where the json package was never imported
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("too deep") from None
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def dumps(value):
    """JSON text in ASCII of what JSON can hold; numbers that it cannot hold become null."""
    try:
        return "".join(_encode(value, 0))
    except ValueError:
        return "".join(_encode(_finite(value), 0))


def _finite(value):
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def whole(text):
    """The text with U+FFFD where half of a character's two surrogates stands alone."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def notification(method, params):
    return b'{"jsonrpc":"2.0","method":"%s","params":%s}\n' % (method.encode(), dumps(params).encode())


def answer(request_id, result):
    return b'{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (dumps(request_id).encode(), dumps(result).encode())


def failure(request_id, code, message, kind=None):
    error = {"code": code, "message": message}
    if kind:
        error["data"] = {"kind": kind}
    return b'{"jsonrpc":"2.0","id":%s,"error":%s}\n' % (dumps(request_id).encode(), dumps(error).encode())


def is_answer(head):
    """The id (bytes) when the line is an answer, by its prefix alone; else None."""
    start = b'{"jsonrpc":"2.0","id":'
    if not head.startswith(start):
        return None
    number, comma, rest = head[len(start):len(start) + 40].partition(b",")
    if comma and number.isdigit() and (rest.startswith(b'"result":') or rest.startswith(b'"error":')):
        return number
    return None


def request_of(head):
    """(id, method) as bytes when the line is a request in the one form that a worker may use; else None."""
    start = b'{"jsonrpc":"2.0","id":'
    if not head.startswith(start):
        return None
    number, _, rest = head[len(start):len(start) + 80].partition(b',"method":"')
    method, _, rest = rest.partition(b'"')
    if number.isdigit() and len(number) <= 15 and method and rest.startswith(b',"params":'):
        return number, method
    return None


def notification_of(head):
    """The method (bytes) when the line is a notification in the one form that a worker may use; else None."""
    start = b'{"jsonrpc":"2.0","method":"'
    if not head.startswith(start):
        return None
    method, _, rest = head[len(start):len(start) + 60].partition(b'"')
    return method if method and rest.startswith(b',"params":') else None


class TooLong(Exception):
    """A line beyond the bound."""


class Lines:
    """Cuts a stream of bytes into lines. A line is a list of its pieces: one of 64 MiB is never copied into one."""

    PIECE = 256 << 10

    def __init__(self, limit=MAX_LINE):
        self.limit = limit
        self.pieces = []
        self.size = 0

    def feed(self, data):
        """The lines that `data` completes, each with its newline; TooLong when one exceeds the bound."""
        lines = []
        parts = data.split(b"\n")
        rest = parts.pop()
        for part in parts:
            self._keep(part)
            self._keep(b"\n")
            lines.append(self.pieces)
            self.pieces, self.size = [], 0
        self._keep(rest)
        return lines

    def _keep(self, part):
        self.size += len(part)
        if self.size > self.limit:
            raise TooLong()
        if self.pieces and len(self.pieces[-1]) + len(part) <= self.PIECE:
            self.pieces[-1] += part
        elif part:
            self.pieces.append(bytearray(part))


def head_of(line):
    """The first bytes of a line, by which it is routed."""
    head = bytes(line[0][:200])
    return head if len(head) == 200 or len(line) == 1 else b"".join([bytes(piece[:200]) for piece in line[:200]])[:200]
