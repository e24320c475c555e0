"""System: pictures and figures. Real matplotlib, PIL and pandas where the guest's Python has them (GUEST_ROOT names a tree that does)."""
import base64
import unittest

from host import Guest

PNG = b"\x89PNG\r\n\x1a\n...."


def run(code, **options):
    with Guest() as guest:
        return guest.run(code, **options)


def pictures(result):
    return [(params["mime_type"], base64.b64decode(params["data"]) if "data" in params else params["text"])
            for params in result.sent("display")]


class Display(unittest.TestCase):
    def test_pictures_by_the_ways_of_notebooks(self):
        result = run("""
PNG = %r
class P:
    def _repr_png_(self): return PNG
class B:
    def _repr_png_(self):
        import base64
        return base64.b64encode(PNG).decode(), {}
class J:
    def _repr_jpeg_(self): return b'\\xff\\xd8\\xff'
class S:
    def _repr_svg_(self): return '<svg/>'
class N:
    def _repr_png_(self): return None
    def __str__(self): return 'text instead'
display(P(), B(), J(), S(), N(), PNG, 5)
P()
""" % PNG)
        self.assertEqual(pictures(result), [("image/png", PNG), ("image/png", PNG), ("image/jpeg", b"\xff\xd8\xff"),
                                            ("image/svg+xml", "<svg/>"), ("image/png", PNG), ("image/png", PNG)], result)
        self.assertEqual((result.stdout, result.value), ("text instead\n5\n", None))

    def test_objects_that_answer_to_every_name(self):
        result = run("from unittest.mock import MagicMock\nclass A:\n    def __getattr__(self, name): return lambda *a: 1 / 0\n    def __repr__(self): return 'A!'\n"
                     "display(A())\nA()")
        self.assertEqual((result.stdout, result.value, result.status), ("A!\n", "A!", "success"), result)

    def test_a_repr_that_raises_leaves_text(self):
        result = run("class A:\n    def _repr_png_(self): 1/0\n    def __repr__(self): return 'A!'\nA()")
        self.assertEqual((result.value, result.status), ("A!", "success"), result)

    def test_size_is_bounded_and_said(self):
        result = run("display(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(17 << 20))")
        self.assertEqual(pictures(result), [])
        self.assertIn("at most 16777216 are taken", result.claimed["notes"][0])

    def test_a_stand_in_for_matplotlib(self):
        """The hook on the import, show(), and figures left open, without the real thing."""
        result = run(r"""
import os
os.makedirs('matplotlib'); open('matplotlib/__init__.py', 'w').close()
open('matplotlib/_pylab_helpers.py', 'w').write('''
class Gcf:
    figs = []
    @classmethod
    def get_all_fig_managers(cls): return list(cls.figs)
    @classmethod
    def destroy_all(cls): cls.figs.clear()
''')
open('matplotlib/figure.py', 'w').write('''
class Figure:
    def __init__(self, name):
        from matplotlib._pylab_helpers import Gcf
        self.name = name; self.canvas = self; self.figure = self; Gcf.figs.append(self)
    def savefig(self, file, **k):
        if self.name == 'bad': raise ValueError('cannot')
        file.write(self.name.encode())
''')
open('matplotlib/pyplot.py', 'w').write('''
from matplotlib.figure import Figure
def figure(name): return Figure(name)
def show(): raise RuntimeError('no window')
def savefig(file): Figure('').savefig(file)
''')
import matplotlib.pyplot as plt, inspect
assert 'no window' in inspect.getsource(plt)
print(os.environ['MPLBACKEND'])
one = plt.figure('one'); plt.show(); plt.show(); display(one)
import io; kept = io.BytesIO(); plt.savefig(kept); print(kept.getvalue())
two = plt.figure('two'); display(two); display(two); plt.figure('bad')
blank = plt.figure('blank'); blank.get_children = lambda: ['background']
four = plt.figure('three'); display(four); four.name = 'four'
plt.figure('five')
""")
        self.assertEqual(result.stdout, "Agg\nb'one'\n", result)
        self.assertEqual([data for _, data in pictures(result)], [b"one", b"two", b"three", b"four", b"five"])
        self.assertEqual(result.claimed["notes"], ["a figure could not be drawn: ValueError: cannot"])
        self.assertIsNotNone(result.value)


class Real(unittest.TestCase):
    """With the true libraries. Each is skipped where the guest's Python has it not."""

    def try_it(self, library, code):
        result = run("try:\n    import %s\nexcept ImportError:\n    print('absent')\n    raise SystemExit\n" % library + code, timeout=120)
        if result.stdout == "absent\n":
            self.skipTest("the guest's Python has no " + library)
        self.assertEqual(result.status, "success", result)
        return result

    def test_matplotlib(self):
        result = self.try_it("matplotlib", """
import matplotlib.pyplot as plt
for n in range(2):
    plt.plot([1, 2, n]); plt.title(str(n)); plt.show()
fig, ax = plt.subplots(); ax.bar(['a', 'b'], [1, 2])
fig2 = plt.figure()
plt.plot([3, 1])
empty = plt.figure()
display(fig, fig)
fig
""")
        found = pictures(result)
        self.assertEqual(len(found), 4, result)
        self.assertTrue(all(data.startswith(b"\x89PNG") for _, data in found))
        self.assertNotEqual(found[0], found[1])

    def test_what_is_shown_can_be_saved(self):
        result = self.try_it("matplotlib", "import matplotlib.pyplot as plt, os\nplt.plot([1, 2])\nplt.savefig('/tmp/a.png')\nplt.show()\nplt.savefig('/tmp/b.png')\n"
                                           "print(open('/tmp/a.png', 'rb').read() == open('/tmp/b.png', 'rb').read())\nplt.gcf()")
        self.assertEqual((result.stdout, len(pictures(result))), ("True\n", 1), result)

    def test_a_closed_figure_as_the_last_value(self):
        result = self.try_it("matplotlib", "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nplt.close(fig)\nfig")
        self.assertEqual(len(pictures(result)), 1, result)
        self.assertIsNone(result.value)

    def test_pil(self):
        result = self.try_it("PIL", "from PIL import Image\ndisplay(Image.new('CMYK', (4, 4)))\nImage.new('RGB', (8, 8), 'red')")
        self.assertEqual([data[:4] for _, data in pictures(result)], [b"\x89PNG"] * 2, result)

    def test_pandas(self):
        result = self.try_it("pandas", "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\ndisplay(df)\ndf")
        self.assertIn("   a  b\n0  1  x\n1  2  y", result.stdout)
        self.assertEqual(result.value, "   a  b\n0  1  x\n1  2  y")


if __name__ == "__main__":
    unittest.main()
