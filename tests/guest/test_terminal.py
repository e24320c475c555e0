"""Unit: output as a terminal shows it in the end."""
import random
import time
import unittest

import units  # noqa: F401
from host import Guest
from _cordon.terminal import HELD, Terminal


def shown(data, cuts=()):
    if isinstance(data, str):
        data = data.encode()
    terminal, edges = Terminal(), [0, *cuts, len(data)]
    out = b"".join([terminal.feed(data[first:second]) for first, second in zip(edges, edges[1:])])
    return (out + terminal.finish()).decode("utf-8", "surrogateescape")


# Bars as their programs draw them, in few steps.
BARS = {
    "tqdm": ("".join("\r%3d%%|%s| %d/4 [00:0%d<00:00,  1.0it/s]" % (25 * n, ("█" * n).ljust(4), n, n) for n in range(5)) + "\n",
             "100%|████| 4/4 [00:04<00:00,  1.0it/s]\n"),
    "tqdm that leaves nothing": ("\r 50%|█ |\r100%|██|\r        \rdone\n", "done\n"),
    "tqdm with a bar in a bar": (
        "\router:   0%|  |" + "".join("\n\rinner %d:   0%%|  |\x1b[A\n\rinner %d: 100%%|██|\x1b[A\n\r                 \r\x1b[A\router: %3d%%|█ |" % (n, n, 50 * n)
                                       for n in (1, 2)) + "\n", "outer: 100%|█ |\n"),
    "rich": ("\x1b[?25lcopy ━━ 0%\nmove ━━ 0%" + "".join("\r\x1b[2K\x1b[1A\x1b[2Kcopy \x1b[32m━━\x1b[0m %d%%\nmove ━━ %d%%" % (n, n // 2) for n in (20, 60, 100))
             + "\n\x1b[?25hend\n", "copy \x1b[32m━━\x1b[0m 100%\nmove ━━ 50%\nend\n"),
    "pip": ("Downloading x.whl (10 kB)\n\x1b[?25l" + "".join("\r\x1b[2K     ━━ %d/10 kB" % n for n in (1, 5, 10)) + "\n\x1b[?25h\rInstalled x\n",
            "Downloading x.whl (10 kB)\n     ━━ 10/10 kB\nInstalled x\n"),
    "curl": ("  % Total    % Received\n" + "".join("\r%3d  1000  %3d  %4d" % (n, n, 10 * n) for n in (0, 40, 100)) + "\n",
             "  % Total    % Received\n100  1000  100  1000\n"),
    "a spinner of backspaces": ("working |" + "\b/\b-\b\\\b|" * 5 + "\bdone\n", "working done\n"),
}


class Bars(unittest.TestCase):
    def test_each_shows_its_end(self):
        for name, (drawn, end) in BARS.items():
            with self.subTest(name):
                self.assertEqual(shown(drawn).replace("\n\n", "\n"), end)

    def test_every_split_gives_the_same(self):
        for name, (drawn, _) in BARS.items():
            data, whole = drawn.encode(), shown(drawn)
            for first in range(len(data) + 1):
                self.assertEqual(shown(data, (first,)), whole, (name, first))
            self.assertEqual(shown(data, range(1, len(data))), whole, name)

    def test_a_thousand_redraws_are_one_line(self):
        self.assertEqual(shown("before\n" + "".join("\r%4d/1000 done" % n for n in range(1001)) + "\nafter\n"), "before\n1000/1000 done\nafter\n")

    def test_real_libraries_where_they_are(self):
        for name, draw in (("tqdm", self.tqdm), ("rich", self.rich)):
            try:
                __import__(name)
            except ImportError:
                continue
            with self.subTest(name):
                lines = shown(draw()).rstrip("\n").split("\n")
                self.assertLess(len(lines), 4, lines)
                self.assertTrue(all("100%" in line for line in lines if line.strip()), lines)

    def tqdm(self):
        import io
        from tqdm import tqdm
        out = io.StringIO()
        for _ in tqdm(range(3), file=out, mininterval=0, desc="outer"):
            for _ in tqdm(range(200), file=out, mininterval=0, desc="inner"):
                pass
        return out.getvalue()

    def rich(self):
        import io
        from rich.console import Console
        from rich.progress import Progress
        out = io.StringIO()
        with Progress(console=Console(file=out, force_terminal=True, width=80), refresh_per_second=1000) as progress:
            tasks = [progress.add_task(name, total=50) for name in ("first", "second")]
            for _ in range(50):
                for task in tasks:
                    progress.advance(task)
                progress.refresh()
        return out.getvalue()


class Plain(unittest.TestCase):
    def test_what_is_not_redrawn_is_as_it_came(self):
        for text in ("", "a", "a\n", "a\n\n b \nc", "tab\tand  blanks  \n", "\x1b[31mred\x1b[0m\nplain\n", "\x1b]0;title\x07x\n", "\x1b", "x\x1b(By\n",
                     "é€\U0001f600\n", "\x00\x07\n"):
            self.assertEqual(shown(text), text)
        self.assertEqual(shown(b"\xff\xfe ok\n\xe2\x82"), "\udcff\udcfe ok\n\udce2\udc82")

    def test_line_ends_of_other_systems(self):
        self.assertEqual(shown("a\r\nb\r\n"), "a\nb\n")
        self.assertEqual(shown("a\r\nb\r\n", (2,)), "a\nb\n")
        self.assertEqual(shown("old\rnew"), "new")
        self.assertEqual(shown("longer\rnew"), "newger")
        self.assertEqual(shown("end\r"), "end")

    def test_sequences(self):
        for drawn, end in (("abc\x1b[2D_", "a_c"), ("abc\r\x1b[K", ""), ("abc\b\b\x1b[1Kx", " xc"), ("ab\x1b[5Gc", "ab  c"), ("one\ntwo\r\x1b[1A\x1b[J!", "!" ),
                           ("one\x1b[?25l\ntwo\x1b[1F2", "2ne\ntwo"), ("a\x1b[2Jb", " b"), ("a\x1b[99999999999Cb", "a" + " " * 999 + "b"), ("\x1b[9999Cb", " " * 1000 + "b"),
                           ("a\x1b[2", "a\x1b[2"), ("x\x1b[3;4", "x\x1b[3;4")):
            got = shown(drawn)
            if drawn.startswith("one\ntwo"):  # the first line was not held: nothing said that it would be redrawn
                end = "one\n!"
            self.assertEqual(got, end, drawn)

    def test_lines_come_out_when_they_are_complete(self):
        terminal = Terminal()
        self.assertEqual(terminal.feed(b"one\ntwo"), b"one\n")
        self.assertEqual(terminal.feed(b"\nthree\n"), b"two\nthree\n")
        self.assertEqual(terminal.feed(b"\r10%"), b"")
        self.assertEqual(terminal.line(), "10%")
        for number in range(60):
            self.assertLess(len(terminal.feed(b"line %d\n" % number)), 4000)
        self.assertEqual(terminal.feed(b"last\n"), b"last\n")

    def test_whatever_comes_memory_and_time_stay_small(self):
        chance = random.Random(5)
        floods = [b"\x1b[999Cx\r", b"\x1b[0m", b"x\b", b"\x1b[A\x1b[B", b"\n\x1b[A", b"y" * 100, b"\r", b"\x1b[1K", b"\x1b[2Jz", b"\x1b[", b"\x1b", b"\n\r."]
        for flood in floods + [b"".join(chance.choice(floods) for _ in range(50)) for _ in range(10)]:
            terminal, began = Terminal(), time.process_time()
            for prefix in (b"w" * HELD, b""):
                terminal.feed(prefix)
                data = flood * (50_000 // len(flood))
                for start in range(0, len(data), 65536):
                    terminal.feed(data[start:start + 65536])
                self.assertLess(sum(len(cell) for row in terminal.rows for cell in row) + len(terminal.unfinished), 30 * HELD, flood[:40])
            terminal.finish()
            self.assertLess(time.process_time() - began, 10, flood[:40])

    def test_every_byte_is_taken(self):
        chance = random.Random(6)
        for _ in range(300):
            data = bytes(chance.choice(b"ab\r\n\b\x1b[[0123;?ABCDGJKHm\xff\xe2\x82") for _ in range(chance.randrange(80)))
            cuts = sorted(chance.randrange(len(data) + 1) for _ in range(3))
            self.assertEqual(shown(data, cuts), shown(data), data)


class InARun(unittest.TestCase):
    DRAWS = "import sys\nfor n in range(1000): print('\\r%d/1000' % (n + 1), end='', file=sys.stderr)\nprint('done')"

    def test_a_bar_is_one_line(self):
        with Guest() as guest:
            result = guest.run(self.DRAWS)
        self.assertEqual((result.stdout, result.stderr), ("done\n", "1000/1000"))

    def test_bytes_as_they_came_for_those_who_want_them(self):
        with Guest() as guest:
            result = guest.run(self.DRAWS, terminal=False)
        self.assertTrue(result.stderr.startswith("\r1/1000\r2/1000"), result.stderr[:50])

    def test_what_it_shows_meanwhile_is_told(self):
        with Guest() as guest:
            result = guest.run("import time\nfor n in range(25):\n    print('\\rstep', n, end='', flush=True)\n    time.sleep(0.1)\n1/0")
        self.assertTrue(any(tick["line"].startswith("step ") for tick in result.sent("tick")), result.sent("tick"))
        self.assertTrue(result.stdout.endswith("step 24"), result)


if __name__ == "__main__":
    unittest.main()
