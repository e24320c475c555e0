"""Pictures and tables of the libraries that people use, in containers of images/datascience. with_engine --datascience -- python3 test_pictures.py"""
import base64
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402


def size(block):
    """Width and height of a PNG block."""
    return struct.unpack(">II", base64.b64decode(block["data"])[16:24])


class Pictures(Case):
    def pictures(self, code):
        """The text, and the image blocks, of a run that succeeds."""
        result = self.cordon.run(code, timeout=100)
        self.assertEqual(result.status, "success", result)
        self.assertEqual(result.blocks[0]["type"], "text")
        return result.text, result.blocks[1:]

    def test_figures_left_open_shown_and_displayed_come_once_each(self):
        text, found = self.pictures("import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 3))\nplt.plot([1, 2])\nplt.show()\nplt.figure(figsize=(2, 2))\nplt.plot([2, 1])\n"
                                    "shown, axes = plt.subplots()\naxes.bar(['a', 'b'], [1, 2])\ndisplay(shown)\nplt.close(shown)\nprint('drawn')")
        self.assertEqual([block["mimeType"] for block in found], ["image/png"] * 3, text)
        self.assertEqual(text, "drawn\n[3 images follow]")
        self.assertEqual(len({block["data"] for block in found}), 3)

    def test_a_figure_as_the_last_value_is_a_picture_and_no_text(self):
        text, found = self.pictures("import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\nplt.close(figure)\nfigure")
        self.assertEqual((text, len(found)), ("[1 image follows]", 1))

    def test_one_picture_however_a_figure_is_shown_and_saved(self):
        text, found = self.pictures("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('a.png')\nplt.show()\nplt.savefig('b.png')\n"
                                    "print(open('a.png', 'rb').read() == open('b.png', 'rb').read())\nplt.figure()\nfigure, axes = plt.subplots()\n"
                                    "axes.bar(['a'], [1])\ndisplay(figure)\nplt.show()\nfigure")
        self.assertEqual((len(found), text.splitlines()[0]), (2, "True"), text)

    def test_more_figures_than_are_taken(self):
        text, found = self.pictures("import matplotlib.pyplot as plt\nfor n in range(18):\n    plt.figure(figsize=(1, 1))\n    plt.plot([n])")
        self.assertEqual(len(found), 16)
        self.assertIn("2 images left out: at most 16 are shown", text)

    def test_seaborn_like_use_of_the_object_interface_and_svg(self):
        text, found = self.pictures("import io, matplotlib.figure\nfigure = matplotlib.figure.Figure(figsize=(2, 1))\nfigure.subplots().plot([1, 3])\nfigure.savefig('/workspace/a.png')\ndisplay(figure)\n"
                                    "class Drawing:\n    def _repr_svg_(self):\n        out = io.StringIO()\n        figure.savefig(out, format='svg')\n        return out.getvalue()\ndisplay(Drawing())")
        self.assertEqual(len(found), 1)
        self.assertIn("<svg ", text)

    def test_pil_images_of_each_mode(self):
        text, found = self.pictures("from PIL import Image\nfor mode in ('1', 'L', 'LA', 'P', 'RGB', 'RGBA', 'CMYK', 'HSV', 'YCbCr', 'I', 'F'): display(Image.new(mode, (30, 20)))\nImage.new('RGB', (7, 5), 'red')")
        self.assertEqual([size(block) for block in found], [(30, 20)] * 11 + [(7, 5)], text)
        text, found = self.pictures("import io\nfrom PIL import Image\nfile = io.BytesIO()\nImage.new('RGB', (9, 9), 'blue').save(file, 'JPEG')\nImage.open(file)")
        self.assertEqual([block["mimeType"] for block in found], ["image/jpeg"])
        self.assertTrue(base64.b64decode(found[0]["data"]).startswith(b"\xff\xd8\xff"))

    def test_a_picture_of_noise_is_too_large_and_said(self):
        text, found = self.pictures("import os\nfrom PIL import Image\ndisplay(Image.frombytes('RGB', (1500, 1500), os.urandom(1500 * 1500 * 3)))\nImage.new('L', (4, 4))")
        self.assertEqual([size(block) for block in found], [(4, 4)])
        self.assertIn("1 image left out: too large, 5 MiB of base64 are taken together", text)

    def test_tables_are_text(self):
        table = "import numpy, pandas\ntable = pandas.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\n"
        self.assertEqual(self.check(table + "display(table)\nprint(table)\ntable", timeout=100), "   a  b\n0  1  x\n1  2  y\n" * 2 + "   a  b\n0  1  x\n1  2  y")
        self.assertIn("[1000 rows x 2 columns]", self.check(table + "pandas.concat([table] * 500)", timeout=100))
        self.assertEqual(self.check("import numpy\nnumpy.eye(2)", timeout=100), "array([[1., 0.],\n       [0., 1.]])")

    def test_a_session_draws_in_each_call(self):
        for code, count in (("import matplotlib.pyplot as plt\nplt.plot([1, 2])", 1), ("1", 0), ("plt.plot([2, 1])\nplt.figure()", 2)):
            result = self.cordon.run(code, session="s", timeout=100)
            self.assertEqual(len(result.blocks) - 1, count, result)


if __name__ == "__main__":
    unittest.main()
