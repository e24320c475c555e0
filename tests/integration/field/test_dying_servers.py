"""Servers that end between answers: some after each, some in the middle of a call. What they never read is asked of their next life; what
they have read is not sent twice, and code is told how the server ended."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cordon_case import Case  # noqa: E402

MORTAL = str(pathlib.Path(__file__).resolve().parents[2] / "fakes" / "mortal.py")
SEEN = tempfile.TemporaryDirectory(prefix="cordon-mortal-")


def mortal(mode):
    return {"command": sys.executable, "args": ["-S", MORTAL, mode, os.path.join(SEEN.name, mode)]}


class Dying(Case):
    servers = {mode: mortal(mode) for mode in ("one", "reader", "full", "never")}
    flags = ("--timeout", "300", "--max-timeout", "300")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        SEEN.cleanup()

    def calls(self, mode):
        return [each for each in pathlib.Path(SEEN.name, mode).read_text().splitlines() if each.startswith("call")]

    def test_one_that_answers_one_call_a_life(self):
        before = len(self.calls("one")) if os.path.exists(os.path.join(SEEN.name, "one")) else 0
        text = self.value("said = [str(await mcp_one.a(n=n)) for n in range(300)]\nsaid == [str(n) for n in range(300)]", limit=280)
        self.assertEqual(text, "True")
        self.assertEqual(len(self.calls("one")) - before, 300)

    def test_fifty_calls_at_once_to_such_a_server(self):
        before = len(self.calls("one")) if os.path.exists(os.path.join(SEEN.name, "one")) else 0
        text = self.value("import asyncio\nsaid = await asyncio.gather(*[mcp_one.a(n=1000 + n) for n in range(50)])\n"
                          "[str(each) for each in said] == [str(1000 + n) for n in range(50)]", limit=280)
        self.assertEqual(text, "True")
        new = self.calls("one")[before:]
        self.assertEqual(sorted(new), sorted(set(new)))
        self.assertEqual(len(new), 50)

    def test_what_it_has_read_is_not_sent_twice(self):
        result = self.fails("await mcp_reader.a(n=7)", "exited with status 3", "see Cordon's log", "may have been carried out")
        self.assertNotIn("it could not go on", result.text)  # its own words are for the user
        self.assertIn("server reader wrote: it could not go on", self.cordon.log())
        self.assertIn("reader.a", result.text)
        self.assertEqual(self.calls("reader"), ["call 7"])

    def test_a_call_that_fills_its_pipe(self):
        self.assertEqual(self.value("str(await mcp_full.a(n=8, text='x' * 300_000))"), "'8'")
        self.assertEqual(self.calls("full"), ["call 8"])

    def test_one_that_never_reads_a_call_is_tried_once_more(self):
        self.fails("await mcp_never.a(n=9)", "exited with status 4", "see Cordon's log")
        self.assertIn("server never wrote: it goes before it reads", self.cordon.log())
        self.assertEqual(self.calls("never"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
