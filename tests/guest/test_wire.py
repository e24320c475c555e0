"""Unit: JSON and lines of the guest protocol."""
import json
import random
import unittest

import units  # noqa: F401
import bundle
from _cordon import wire
from _cordon.encode import to_json
from host import PYTHON


class Json(unittest.TestCase):
    values = [None, True, False, 0, -5, 1 << 80, 1.5, -1e300, "", "é\"\\\n\x00\u2028\U0001f600", [], {}, [1, [2, {"a": None}]],
              {"k\n": {"x": [True, 1.0]}}, "\x7f\x1f"]

    def test_round_trip_with_the_json_package(self):
        for value in self.values:
            self.assertEqual(json.loads(wire.dumps(value)), value)
            self.assertEqual(wire.loads(json.dumps(value).encode()), value)
            self.assertEqual(wire.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")), value)

    def test_one_line_in_ascii(self):
        for value in self.values:
            text = wire.dumps(value)
            self.assertTrue(text.isascii() and "\n" not in text)

    def test_numbers_that_json_has_not(self):
        self.assertEqual(wire.dumps([float("nan"), float("inf")]), "[null,null]")

    def test_what_is_no_json(self):
        for text in (b"", b" ", b"{", b"[1,]", b"{\"a\":}", b"1 2", b"\xff", b"nul", b"'a'", b"[" * 100_000, b"\"\n\""):
            with self.assertRaises(ValueError, msg=text[:20]):
                wire.loads(text)

    def test_what_is_no_json_where_the_json_package_was_never_imported(self):
        import subprocess
        source = bundle.module_sources()["_cordon.wire"]
        bad = [b"{broken", b'{"a" 1}', b'{"a":1 "b"}', b"[1 2]", b'"\\x"', b'"\\u12"', b'"open', b"{", b"[", b"-", b"1e", b"[1,]", b"NaNx", b"\xff"]
        program = source + """
import sys
assert "json" not in sys.modules
for text in %r:
    try:
        loads(text)
        print(text)
    except ValueError:
        pass
""" % bad
        done = subprocess.run([PYTHON, "-I", "-c", program], capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_arguments(self):
        self.assertEqual(to_json({"a": "\ud83d\ude00 \ud800"}), '{"a":"\U0001f600 \ufffd"}'.encode())
        self.assertEqual(to_json({1: (2, 3)}), b'{"1":[2,3]}')
        nested = []
        for _ in range(100_000):
            nested = [nested]
        for bad in (float("inf"), object(), b"x", {"k": {(1, 2): 3}}, nested):
            with self.assertRaises((TypeError, ValueError)):
                to_json(bad)


class Lines(unittest.TestCase):
    def test_every_split_gives_the_same_lines(self):
        data = b'{"a":1}\n\n\r\n{"b":"\xc3\xa9"}\nrest'
        expected = [b'{"a":1}\n', b"\n", b"\r\n", b'{"b":"\xc3\xa9"}\n']
        for first in range(len(data) + 1):
            for second in range(first, len(data) + 1):
                lines = wire.Lines()
                found = []
                for part in (data[:first], data[first:second], data[second:]):
                    found += [b"".join(line) for line in lines.feed(part)]
                self.assertEqual(found, expected)

    def test_large_lines_stay_in_pieces(self):
        lines = wire.Lines()
        block = b"x" * (300 << 10)
        for _ in range(10):
            self.assertEqual(lines.feed(block), [])
        line, = lines.feed(b"y\nz")
        self.assertEqual(b"".join(line), block * 10 + b"y\n")
        self.assertGreater(len(line), 5)

    def test_the_bound_and_just_past_it(self):
        lines = wire.Lines(limit=10)
        self.assertEqual(b"".join(lines.feed(b"123456789\n")[0]), b"123456789\n")
        with self.assertRaises(wire.TooLong):
            lines.feed(b"1234567890\n")
        lines = wire.Lines(limit=10)
        lines.feed(b"1234567890")
        with self.assertRaises(wire.TooLong):
            lines.feed(b"1")

    def test_heads(self):
        for size in (1, 3, 199, 200, 201, 1000):
            data = bytes(random.Random(size).randrange(32, 127) for _ in range(size)) + b"\n"
            for cut in (0, 1, size // 2, size):
                lines = wire.Lines()
                lines.PIECE = 1
                line, = lines.feed(data[:cut]) + lines.feed(data[cut:])
                self.assertEqual(wire.head_of(line), data[:200])


class Prefixes(unittest.TestCase):
    def test_answers(self):
        self.assertEqual(wire.is_answer(b'{"jsonrpc":"2.0","id":17,"result":{}}'), b"17")
        self.assertEqual(wire.is_answer(b'{"jsonrpc":"2.0","id":0,"error":{}}'), b"0")
        for other in (b'{"jsonrpc":"2.0","id":1,"method":"execute"', b'{"jsonrpc":"2.0","id":"1","result":{}}', b"", b"{}",
                      b'{"jsonrpc":"2.0","id":,"result":1}', b'{"jsonrpc":"2.0","id":1', b'{"jsonrpc": "2.0","id":1,"result":{}}'):
            self.assertIsNone(wire.is_answer(other), other)

    def test_requests(self):
        self.assertEqual(wire.request_of(b'{"jsonrpc":"2.0","id":5,"method":"call_tool","params":{'), (b"5", b"call_tool"))
        for other in (b'{"jsonrpc":"2.0","id":5,"method":"call_tool"}', b'{"jsonrpc":"2.0","id":5,"id":6,"method":"x","params":',
                      b'{"jsonrpc":"2.0","id":-5,"method":"x","params":', b'{"jsonrpc":"2.0","id":5,"method":"","params":',
                      b'{"jsonrpc":"2.0","id":1234567890123456,"method":"x","params":', b'{"jsonrpc":"2.0","id":5.0,"method":"x","params":'):
            self.assertIsNone(wire.request_of(other), other)

    def test_notifications(self):
        self.assertEqual(wire.notification_of(b'{"jsonrpc":"2.0","method":"done","params":{'), b"done")
        for other in (b'{"jsonrpc":"2.0","method":"done"}', b'{"jsonrpc":"2.0","id":1,"method":"done","params":', b"\n"):
            self.assertIsNone(wire.notification_of(other), other)


if __name__ == "__main__":
    unittest.main()
