"""`cordon image`: what the engine has, an image made without a registry, and the choice that runs go by."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, Engine  # noqa: E402

# The suite names the image; what is in it comes from the tarball that scripts/engine makes, so that nothing is built here, or once.
SUITE, NAME = "forky", "localhost/cordon-python:forky"
CONTENTS = "print(__import__('mcp').runtime.capability_summary().splitlines()[-1])"


class Images(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="cordon-image-")
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)
        self.engine = Engine()
        self.there = os.environ["MCP_BRIDGE_IMAGE"]

    def cordon(self, *words, image=None, input=None):
        environment = {name: value for name, value in os.environ.items() if name != "MCP_BRIDGE_IMAGE"}
        environment.update(HOME=str(self.home), MCP_BRIDGE_STATE_DIR=str(self.home / "state"), **({"MCP_BRIDGE_IMAGE": image} if image else {}))
        return subprocess.run([CORDON, *words], capture_output=True, text=True, timeout=LIMIT * 5, env=environment, input=input)

    def used(self):
        marked = [line for line in self.cordon("image", "list").stdout.splitlines() if line.startswith("* ")]
        self.assertEqual(len(marked), 1, marked)
        return marked[0].split()[1]

    def test_the_choice_is_kept_goes_behind_the_setting_and_can_be_taken_back(self):
        usual = self.used()
        self.assertEqual(usual, "docker.io/library/python:3.14-slim")
        said = self.cordon("image", "use", self.there)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(str(self.home / "state" / "image"), said.stdout)
        self.assertEqual(self.used(), self.there)
        self.assertEqual(self.cordon("exec", "-", input="print(1)").stdout, "1\n")
        self.assertIn("image 127.0.0.1:1/x:1 is not there", self.cordon("exec", "-", input="print(1)", image="127.0.0.1:1/x:1").stderr)
        self.cordon("image", "use", "default")
        self.assertEqual(self.used(), usual)

    def test_one_that_the_engine_does_not_have_cannot_be_chosen(self):
        refused = self.cordon("image", "use", "localhost/none:1")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("cordon image pull localhost/none:1", refused.stderr)
        self.assertFalse((self.home / "state" / "image").exists())

    def test_one_that_is_pinned_runs_as_long_as_it_is_that_one(self):
        """Built here, so that no registry knows its digest: on Docker nothing but its id says which it is."""
        pin = json.loads(self.cordon("doctor", "--json", image=self.there).stdout)["image"]["pin"]
        name, digest = pin.split("@")
        self.assertTrue(self.there.startswith(name + ":"), (self.there, pin))
        self.assertRegex(digest, "^sha256:[0-9a-f]{64}$")
        self.assertIn("--image " + pin, self.cordon("doctor", image=self.there).stdout)
        listed = json.loads(self.cordon("image", "list", "--json", image=pin).stdout)["images"]
        self.assertEqual([each["pin"] for each in listed if each["used"]], [pin])
        by_id = next(each["id"] for each in listed if each["used"]).removeprefix("sha256:")
        for reference in (pin, self.there + "@" + digest, name + "@sha256:" + by_id):
            with self.subTest(reference):
                self.assertEqual(self.cordon("exec", "-", image=reference, input="print(1)").stdout, "1\n")
        self.assertIn(digest[:19], next(line for line in self.cordon("image", "list", image=pin).stdout.splitlines() if line.startswith("* ")))
        self.assertEqual(self.cordon("image", "use", pin).returncode, 0)
        self.assertEqual(self.cordon("exec", "-", input="print(2)").stdout, "2\n")
        other = name + "@sha256:" + "0" * 64
        for words in (("exec", "-"), ("image", "use", other)):
            refused = self.cordon(*words, image=other, input="print(1)")
            self.assertEqual((refused.returncode != 0, refused.stdout), (True, ""), refused)
            for part in (other, "under that name the engine has " + pin, self.there):
                self.assertIn(part, refused.stderr)

    def test_a_choice_that_is_none_is_an_error_that_names_the_file(self):
        (self.home / "state").mkdir()
        (self.home / "state" / "image").write_text("-x\n")
        refused = self.cordon("exec", "-", input="print(1)")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(str(self.home / "state" / "image"), refused.stderr)

    def test_wrong_words_say_which_are_right(self):
        for words in (["drop"], ["use"], ["build"], ["build", "perl"], ["list", "x"], ["pull", "a", "b"], ["use", "a b"]):
            refused = self.cordon("image", *words)
            self.assertEqual(refused.returncode, 2, words)
            self.assertIn("expected", refused.stderr)

    def test_an_image_without_a_registry_and_code_that_asks_what_is_in_it(self):
        tarball = subprocess.run(["bash", "-c", ". scripts/lib.sh; image_tar python $(debian_release)"], cwd=ROOT, check=True,
                                 capture_output=True, text=True, timeout=LIMIT * 10).stdout.strip()
        cache = self.home / "state" / "image-build" / "build" / "cache" / "images"
        cache.mkdir(parents=True)
        (cache / ("python-%s.tar" % SUITE)).symlink_to(tarball)
        self.addCleanup(self.engine.request, "DELETE", "/images/%s?force=true" % NAME)
        built = self.cordon("image", "build", "python", "--suite", SUITE)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn(NAME + ": Debian GNU/Linux", built.stdout)
        listed = next(line for line in self.cordon("image").stdout.splitlines() if NAME in line)
        contents = listed.split(" MB  ")[1]
        self.assertIn("; Python 3.", contents)
        self.cordon("image", "use", NAME)
        self.assertEqual(self.cordon("exec", "-", input=CONTENTS).stdout.strip(), contents)


if __name__ == "__main__":
    unittest.main()
