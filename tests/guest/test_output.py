"""Unit: what is kept of an output stream."""
import random
import unittest

import units  # noqa: F401
from _cordon.output import Stream


def feed(data, head, tail, cuts=()):
    stream = Stream(head, tail)
    shown = ""
    edges = [0, *cuts, len(data)]
    for first, second in zip(edges, edges[1:]):
        shown += stream.feed(data[first:second])
    shown += stream.finish()
    return shown, stream.rest()


class Kept(unittest.TestCase):
    def test_short_output_is_sent_as_it_comes(self):
        self.assertEqual(feed(b"abc", 10, 10), ("abc", {"tail": "", "omitted_bytes": 0, "total_bytes": 3}))

    def test_edges_of_head_and_tail(self):
        for total in range(0, 30):
            data = ("0123456789" * 3)[:total].encode()
            shown, rest = feed(data, 10, 10)
            self.assertEqual(shown, data[:10].decode())
            self.assertEqual(rest["tail"], data[10:][-10:].decode())
            self.assertEqual(rest["omitted_bytes"], max(0, total - 20))

    def test_every_split_of_characters_gives_the_same(self):
        data = "aé€\U0001f600b".encode() + b"\xff\xe2\x82" + "xé".encode() + b"\xf0\x9f"
        for head, tail in ((100, 100), (3, 100), (3, 4), (0, 5), (5, 0), (0, 0)):
            expected = feed(data, head, tail)
            for first in range(len(data) + 1):
                for second in range(first, len(data) + 1):
                    self.assertEqual(feed(data, head, tail, (first, second)), expected)

    def test_bytes_that_are_no_text(self):
        self.assertEqual(feed(b"\xff\xfeok\xe2\x82", 100, 0)[0], "\ufffd\ufffdok\ufffd")
        self.assertEqual(feed(b"\xff\xfeok\xe2\x82", 0, 100)[1]["tail"], "\ufffd\ufffdok\ufffd")

    def test_counts_add_up_whatever_comes(self):
        chance = random.Random(7)
        alphabet = [b"a", "é".encode(), "€".encode(), "\U0001f600".encode(), b"\xff", b"\n"]
        for _ in range(300):
            data = b"".join(chance.choice(alphabet) for _ in range(chance.randrange(400)))
            head, tail = chance.randrange(50), chance.randrange(50)
            cuts = sorted(chance.randrange(len(data) + 1) for _ in range(3))
            shown, rest = feed(data, head, tail, cuts)
            self.assertEqual(rest["total_bytes"], len(data))
            self.assertLessEqual(len(shown), head)
            self.assertLessEqual(len(rest["tail"]), tail)
            text = data.decode("utf-8", "replace")
            self.assertTrue(text.startswith(shown) and text.endswith(rest["tail"]))
            if rest["omitted_bytes"] == 0:
                self.assertEqual(shown + rest["tail"], text)
            else:
                self.assertEqual((len(shown), len(rest["tail"])), (head, tail))

    def test_memory_stays_flat(self):
        stream = Stream(100, 1000)
        for _ in range(1000):
            stream.feed(b"x" * 65536)
            self.assertLess(len(stream.last), 200_000)
        self.assertEqual(stream.rest()["omitted_bytes"], 65536 * 1000 - 1100)

    def test_the_last_line_for_progress(self):
        stream = Stream(1, 1000)
        self.assertFalse(stream.beyond_head())
        stream.feed(b"x first\n  second " + b"y" * 300 + b" \n\n")
        self.assertTrue(stream.beyond_head())
        self.assertEqual(stream.last_line(), "second " + "y" * 193)


if __name__ == "__main__":
    unittest.main()
