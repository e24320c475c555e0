"""images/datascience: what its Containerfile gives and what `cordon image build` gives without a registry is the same, and works. On podman, as root.

The base image of the Containerfile is made of Debian packages, too, so that no registry is needed; its packages come from the host's mirror.
"""
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, Cordon, Engine  # noqa: E402

BASE, SUITE = "docker.io/library/debian:trixie-slim", "trixie"
OFFLINE, FROM_FILE, PLAIN = "localhost/cordon-datascience:" + SUITE, "localhost/cordon-datascience:containerfile", "localhost/cordon-python:containerfile"
# as docker.io's images of Debian are made, in their variant and their archives
MAKE_BASE = """. scripts/lib.sh; install_packages mmdebstrap; mirror=$(debian_mirror); run_mmdebstrap --variant=minbase --format=tar %s "$1" \
    "deb $mirror %s main" "deb $mirror %s-updates main" "deb $mirror-security %s-security main" """ % ((SUITE,) * 4)

PROGRAM = """
import matplotlib.pyplot as plt, numpy, openpyxl, pandas, scipy.optimize
from PIL import Image
table = pandas.DataFrame({"x": numpy.arange(4), "y": numpy.arange(4) ** 2})
table.to_excel("/workspace/table.xlsx", index=False)
back = pandas.read_excel("/workspace/table.xlsx")
plt.plot(back.x, back.y)
print(openpyxl.load_workbook("/workspace/table.xlsx").active["B4"].value, int(back.y.sum()), round(scipy.optimize.brentq(lambda x: x * x - 2, 0, 2), 6), Image.new("RGB", (3, 2)).size)
"""
LISTED = """
import json, os, subprocess
packages = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", "python3*", "lib*"], capture_output=True, text=True).stdout.split("\\n")
modules = sorted(os.path.join(at, name) for top in ("/usr/lib/python3", "/usr/lib/python3.13") for at, _, names in os.walk(top) for name in names if not name.endswith(".pyc"))
print(json.dumps([packages, modules]))
"""


def shell(script, *arguments):
    return subprocess.run(["bash", "-c", "set -euo pipefail; " + script, "bash", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
                          timeout=LIMIT * 40).stdout.strip()


class Datascience(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        cls.folder = tempfile.TemporaryDirectory(prefix="cordon-datascience-")
        state = pathlib.Path(cls.folder.name)
        cache = state / "image-build" / "build" / "cache" / "images"
        cache.mkdir(parents=True)
        (cache / ("datascience-%s.tar" % SUITE)).symlink_to(shell(". scripts/lib.sh; image_tar datascience " + SUITE))  # built once
        subprocess.run([CORDON, "image", "build", "datascience", "--suite", SUITE], check=True, stdout=subprocess.DEVNULL, timeout=LIMIT * 10,
                       env=dict(os.environ, MCP_BRIDGE_STATE_DIR=str(state)))
        if json.loads(cls.engine.request("GET", "/v4.0.0/libpod/images/json?filters=" + json.dumps({"reference": [BASE]}).replace(" ", ""))[2]) == []:
            shell(MAKE_BASE, str(state / "base.tar"))
            cls.ask("/v4.0.0/libpod/images/import?reference=" + BASE, (state / "base.tar").read_bytes())
        cls.build("datascience", FROM_FILE)

    @classmethod
    def tearDownClass(cls):
        for name in (OFFLINE, FROM_FILE, PLAIN, BASE):
            cls.engine.request("DELETE", "/images/%s?force=true" % name)
        cls.folder.cleanup()

    @classmethod
    def ask(cls, target, body):
        status, _, answer = cls.engine.request("POST", target, body, {"Content-Type": "application/x-tar"}, limit=LIMIT * 40)
        assert status == 200, answer
        return answer

    @classmethod
    def build(cls, flavour, name, base=None):
        """images/FLAVOUR/Containerfile built as NAME; on another base, where one is named."""
        text = (ROOT / "images" / flavour / "Containerfile").read_bytes()
        if base:
            text, count = re.subn(rb"^FROM .*$", b"FROM " + base.encode(), text, flags=re.M)
            assert count == 1
        context, member = io.BytesIO(), tarfile.TarInfo("Containerfile")
        member.size = len(text)
        with tarfile.open(fileobj=context, mode="w") as tar:
            tar.addfile(member, io.BytesIO(text))
        said = cls.ask("/v4.0.0/libpod/build?dockerfile=Containerfile&networkmode=host&pullpolicy=missing&isolation=chroot&t=" + name, context.getvalue())
        assert b"Successfully tagged" in said, said[-2000:]

    def in_each(self, code, *images):
        """What a program says in both images, or in those named, and its pictures."""
        found = []
        for image in images or (OFFLINE, FROM_FILE):
            with Cordon("--max-output", "4000000", env={"MCP_BRIDGE_IMAGE": image}) as cordon:
                result = cordon.run(code, timeout=100)
                self.assertEqual(result.status, "success", (image, result))
                found.append((result.text, [block["mimeType"] for block in result.blocks[1:]]))
        return found

    def test_a_program_with_all_of_its_libraries(self):
        for text, pictures in self.in_each(PROGRAM):
            self.assertEqual((text, pictures), ("4 14 1.414214 (3, 2)\n[1 image follows]", ["image/png"]))

    def test_both_builds_say_the_same_of_themselves(self):
        listed = subprocess.run([CORDON, "image", "list"], check=True, capture_output=True, text=True, timeout=LIMIT,
                                env=dict(os.environ, MCP_BRIDGE_STATE_DIR=self.folder.name)).stdout.splitlines()
        said = {line[2:].split()[0]: line.split(" MB  ")[1] for line in listed if "cordon-datascience" in line}
        self.assertIn("; openpyxl ", said[OFFLINE])
        self.assertEqual(said[FROM_FILE], said[OFFLINE])

    def test_the_other_containerfile_on_a_base_that_is_there(self):
        self.build("python", PLAIN, base=os.environ["MCP_BRIDGE_IMAGE"])
        labels = json.loads(self.engine.request("GET", "/v4.0.0/libpod/images/%s/json" % PLAIN)[2])["Labels"]
        self.assertEqual(labels["io.cordon.contents"], "Python 3.14")
        self.assertEqual(self.in_each("print(6 * 7)", PLAIN), [("42\n", [])])

    def test_both_builds_hold_the_same_modules_of_the_same_packages(self):
        offline, from_file = (json.loads(text) for text, _ in self.in_each(LISTED))
        python = [[line for line in packages if line.startswith("python3")] for packages, _ in (offline, from_file)]
        self.assertGreater(len(python[0]), 20)
        self.assertEqual(python[1], python[0])
        self.assertLess({"libblas3", "liblapack3"}, {line.split()[0] for line in offline[0] if line})
        self.assertEqual(from_file[1], offline[1])


if __name__ == "__main__":
    unittest.main()
