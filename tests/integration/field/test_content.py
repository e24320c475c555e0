"""Images, sounds and files as servers really spell them: decoded, or said to be undecodable; never wrong bytes."""
import base64
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cordon_case import Case, ODD  # noqa: E402
from test_results import PNG  # noqa: E402

RAW = base64.b64decode(PNG)
URL = base64.urlsafe_b64encode(RAW).decode()


class Content(Case):
    servers = {"odd": ODD}

    def image(self, data, code, **more):
        block = dict({"type": "image", "data": data, "mimeType": "image/png"}, **more)
        return "image = await mcp_odd.give(result=%r)\n%s" % ({"content": [block]}, code)

    def test_spellings_that_are_decoded_and_shown(self):
        lines = "\r\n".join(PNG[at:at + 60] for at in range(0, len(PNG), 60))
        for data in (PNG, "data:image/png;base64," + PNG, lines, URL, URL.rstrip("="), PNG + "\n", "data:;base64," + lines,
                     {"type": "Buffer", "data": list(RAW)}):
            result = self.cordon.run(self.image(data, "print(image.data == %r, bytes(image) == image.data)\ndisplay(image)" % RAW))
            self.assertEqual(result.status, "success", result)
            self.assertIn("True True", result.text)
            self.assertEqual([block["data"] for block in result.blocks if block["type"] == "image"], [PNG])
        self.assertEqual(self.value("(await mcp_odd.give(result=%r)).data" % {"content": [{"type": "resource", "resource": {"uri": "a:b", "blob": "_-8"}}]}),
                         "b'\\xff\\xef'")
        self.assertEqual(self.value("(await mcp_odd.give(result=%r)).data" % {"content": [{"type": "audio", "data": "data:audio/wav;base64,AAEC"}]}), "b'\\x00\\x01\\x02'")

    def test_what_cannot_be_decoded_raises_where_it_is_used(self):
        for data in ("/tmp/picture.png", "https://x.y/z.png", "AAAAA", PNG[:40] + "=" + PNG[40:], None, "<binary>"):
            for use in ("image.data", "bytes(image)", "image.save('a.png')"):
                result = self.fails(self.image(data, use), "ContentError", "odd.give: the content of its image image/png cannot be decoded: ")
                self.assertNotIn("cordon", result.text)
            self.assertIn("cannot be decoded", self.check(self.image(data, "image")))

    def test_display_gives_the_true_reason(self):
        for use in ("display(image)", "image", "display(image, 'and more')"):
            text = self.check(self.image("https://x.y/z.png", use))
            self.assertIn("image left out: odd.give: the content of its image image/png cannot be decoded: it is no base64: it has ':' at character 6", text)
            self.assertNotIn("at most", text)
        for raw, name in ((b"GIF89a....", "GIF"), (b"RIFF....WEBP", "WebP"), (b"%PDF-1.4", "PDF"), (b"", "nothing"), (b"\0\1\2\3", "something else")):
            text = self.check(self.image(base64.b64encode(raw).decode(), "display(image)"))
            self.assertIn("1 image left out: the content is %s, not PNG or JPEG" % name, text)

    def test_each_reason_is_told_apart(self):
        text = self.check(self.image(PNG, "for _ in range(18):\n    display(image)"))
        self.assertIn("2 images left out: at most 16 are shown", text)
        text = self.check(self.image(PNG, "class P:\n    def _repr_png_(self): return image.data + bytes(5 << 20)\ndisplay(P(), image)"))
        self.assertIn("1 image left out: too large, 5 MiB of base64 are taken together", text)
        self.assertIn("1 image follows", text)

    def test_an_object_that_gives_base64(self):
        shown = "class P:\n    def _repr_png_(self): return %r\n    def __repr__(self): return 'a P'\ndisplay(P())"
        self.assertIn("1 image follows", self.check(shown % ("data:image/png;base64," + PNG)))
        text = self.check(shown % "no base64 at all")
        self.assertIn("image left out: what P._repr_png_() gave cannot be decoded: it is no base64", text)
        self.assertIn("a P", text)


if __name__ == "__main__":
    unittest.main()
