"""Unit and system: Markdown fences, prompts, shell lines and IPython's commands."""
import unittest

import units  # noqa: F401
from _cordon import habits
from host import Guest

SAYS = {
    "!pip install requests\nimport requests": "cannot be installed", "%pip install -U requests": "cannot be installed", "pip install x": "cannot be installed",
    "$ python3 -m pip install --user x": "cannot be installed", "!apt-get install -y curl": "cannot be installed", "uv pip install x": "cannot be installed",
    "conda install -c forge x": "cannot be installed", "!ls -l": "subprocess.run('ls -l', shell=True)", "files = !ls": "subprocess.run('ls'",
    "$ cat x.txt": "subprocess.run('cat x.txt'", "%%bash\nls": "leave it out", "%system ls": "subprocess.run('ls'",
    "%matplotlib inline\nimport os": "figures are shown by themselves", "x = 1\n%timeit x": "timeit.timeit", "%load_ext autoreload": "no IPython", "%%capture\nx = 1": "IPython's",
    ">>> print(1)\n1": ">>> ", ">>> for x in y:\n...     x": ">>> ", "?print": "write help(print)", "os.path??": "write help(os.path)",
    "Here is the code:\n```python\nprint(1)\n```": "Markdown", "```python\nx = 1\n```\nThis sets x.": "Markdown",
    "```python\nx = 1\n```\nand\n```python\ny = 1\n```": "Markdown", "x = 1\n```": "Markdown", "```python\nx = 1": "Markdown",
    "```python\n!pip install x\n```": "cannot be installed",
}
PLAIN = ("x = (1 +", "print 'a'", "def f(:\n    '''\n```\n'''", "x = 5 % ", "if x\n    y", "a !b")
VALID = ('text = """\n```python\nprint(1)\n```\n"""\nprint(text.count("`"))', "n = (7\n%4)\nprint(n + 3)", 'print("""\\\n>>> 6\n""".strip()[4:])',
         "r = '!pip install x'\nprint(6)", "'''\n```\n'''; print(6)")


class Habits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.guest = Guest()

    @classmethod
    def tearDownClass(cls):
        cls.guest.close()

    def run_it(self, code):
        return self.guest.run(code, session=True)

    def test_each_says_what_to_write(self):
        for code, words in SAYS.items():
            result = self.run_it(code)
            self.assertEqual(result.status, "error", code)
            self.assertIn(words, result.error, code)
            self.assertTrue(result.error.startswith("SyntaxError: "), result.error)
            self.assertIn(words, result.stderr, code)

    def test_other_errors_are_pythons_own(self):
        for code in PLAIN:
            try:
                compile(code, "x", "exec")
                self.fail(code)
            except SyntaxError as failure:
                own = failure.msg
                self.assertEqual(habits.explained(failure, code).msg, own)

    def test_valid_programs_are_left_alone(self):
        for code in VALID:
            self.assertEqual(self.run_it(code).stdout, "6\n", code)

    def test_one_fenced_block_is_its_code(self):
        for code in ("```python\nprint(6)\n```", "\n\n```\nprint(6)\n```\n\n", "~~~py\nprint(6)\n~~~", "  ```python3\n  if 1:\n      print(6)\n  ```", "````\nprint(6)\n````",
                     "```python\r\nprint(6)\r\n```\r\n", "```python\nimport asyncio\nawait asyncio.sleep(0)\nprint(6)\n```"):
            result = self.run_it(code)
            self.assertEqual((result.stdout, result.status), ("6\n", "success"), (code, result))

    def test_its_lines_keep_their_numbers(self):
        result = self.run_it("```python\nx = 1\n1/0\n```")
        self.assertIn("line 3, in <module>\n    1/0", result.stderr)
        self.assertIn("line 3", self.run_it("```python\nx = 1\nx = = 2\n```").stderr)


if __name__ == "__main__":
    unittest.main()
