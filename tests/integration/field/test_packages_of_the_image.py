"""People put packages into an image by a virtual environment, a conda folder, PYTHONPATH, LD_LIBRARY_PATH. `run_python` could import none of them:
it ran another python3 than the image's own, without the image's variables."""
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from cordon_client import CORDON, LIMIT, ROOT, Cordon, Engine  # noqa: E402

USUAL = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ATTACKS = ("env_leak", "pid1_proc", "pid1_ptrace", "pid1_signals", "pid1_starve", "pid1_memory_calls", "pid1_siblings", "priv_seccomp", "end_exec", "mem_heap",
           "frame_every_descriptor", "fs_exec_loader")
CHILDREN = """
import multiprocessing, subprocess, sys
import packed
if __name__ == "__main__":
    print(packed.double(1), subprocess.check_output([sys.executable, "-c", "import packed; print(packed.double(2))"], text=True).strip(),
          subprocess.check_output(["python3", "-c", "import sys; print(sys.prefix)"], text=True).strip())
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(packed.double, [3, 4]))
    print(sys.executable, sys.prefix)
"""
PACKED = "def double(x):\n    return 2 * x\n"


class Layer:
    """Files of an image, and the Dockerfile that adds them."""

    def __init__(self):
        self.made = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.made, mode="w")

    def file(self, name, data, mode=0o644):
        about = tarfile.TarInfo(name)
        data = data.encode() if isinstance(data, str) else data
        about.size, about.mode = len(data), mode
        self.tar.addfile(about, io.BytesIO(data))

    def link(self, name, to):
        about = tarfile.TarInfo(name)
        about.type, about.linkname = tarfile.SYMTYPE, to
        self.tar.addfile(about)

    def folder(self, name, source, leave=()):
        def keep(about):
            about.uid = about.gid = 0
            return None if set(about.name.split("/")) & {"__pycache__", "test", "idlelib", *leave} else about
        self.tar.add(source, name, filter=keep)

    def context(self, base, variables):
        self.tar.close()
        lines = ["FROM " + base, "ADD layer.tar /"] + ["ENV %s=%s" % each for each in variables.items()]
        context = io.BytesIO()
        with tarfile.open(fileobj=context, mode="w") as tar:
            for name, data in (("Dockerfile", "\n".join(lines).encode()), ("layer.tar", self.made.getvalue())):
                about = tarfile.TarInfo(name)
                about.size = len(data)
                tar.addfile(about, io.BytesIO(data))
        return context.getvalue()


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine, cls.base = Engine(), os.environ["MCP_BRIDGE_IMAGE"]
        with Cordon() as cordon:
            cls.version = cordon.run("import sys; '%d.%d' % sys.version_info[:2]").text.strip().splitlines()[-1].strip("'")

    def image(self, name, layer, **variables):
        """Builds it on the engine's own base; a Cordon that uses it."""
        reference = "localhost/cordon-own-%s:1" % name
        target = "/build?t=%s&q=true&pull=false" % urllib.parse.quote(reference, safe="")
        status, _, body = self.engine.request("POST", target, layer.context(self.base, variables), {"Content-Type": "application/x-tar"})
        self.assertEqual(status, 200, body)
        return self.cordon(reference)

    def cordon(self, reference):
        self.assertEqual(self.engine.request("GET", "/images/%s/json" % reference)[0], 200, reference)
        self.addCleanup(self.engine.request, "DELETE", "/images/%s?force=true" % reference)
        self.reference = reference
        cordon = Cordon(env={"MCP_BRIDGE_IMAGE": reference})
        self.addCleanup(cordon.close)
        return cordon

    def venv(self, name="venv"):
        layer = Layer()
        layer.link("opt/%s/bin/python3" % name, "/usr/bin/python3")
        layer.file("opt/%s/pyvenv.cfg" % name, "home = /usr/bin\ninclude-system-site-packages = false\n")
        layer.file("opt/%s/lib/python%s/site-packages/packed.py" % (name, self.version), PACKED)
        return layer

    def check(self, cordon, code, expected, **arguments):
        result = cordon.run(code, **arguments)
        self.assertEqual((result.status, result.text.strip()), ("success", expected), result)

    def doctor(self):
        asked = subprocess.run([CORDON, "doctor", "--json"], capture_output=True, text=True, timeout=LIMIT * 2,
                               env={**os.environ, "MCP_BRIDGE_IMAGE": self.reference})
        report = json.loads(asked.stdout)
        self.assertEqual([row for row in report["confinement"] if not row["ok"]], [], asked.stdout)
        return next(row["guest"] for row in report["confinement"] if row["row"] == "python")

    def test_a_virtual_environment(self):
        cordon = self.image("venv", self.venv(), PATH="/opt/venv/bin:" + USUAL, VIRTUAL_ENV="/opt/venv")
        self.check(cordon, CHILDREN, "2 4 /opt/venv\n[6, 8]\n/opt/venv/bin/python3 /opt/venv", timeout=60)
        self.check(cordon, "import os, packed\nx = 5\nprint(os.environ['VIRTUAL_ENV'], os.environ['HOME'])", "/opt/venv /workspace", session="s")
        self.check(cordon, "print(packed.double(x))", "10", session="s")
        self.assertIn("/opt/venv/bin/python3 %s" % self.version, self.doctor())
        self.assertIn("out of memory", cordon.run("x = bytearray(1 << 32)\nx[:] = b'1' * len(x)").text.replace("_", " "))
        self.assertEqual(cordon.run("while True: pass", timeout=1).status, "timeout")

    def test_what_hostile_code_tries_in_it(self):
        self.image("attacked", self.venv(), PATH="/opt/venv/bin:" + USUAL, PYTHONPATH="/opt/lib", KEY="value")
        tried = subprocess.run([sys.executable, ROOT / "tests" / "attack" / "run.py", CORDON, *ATTACKS], capture_output=True, text=True,
                               timeout=LIMIT * 10, env={**os.environ, "MCP_BRIDGE_IMAGE": self.reference})
        self.assertEqual(tried.returncode, 0, tried.stdout + tried.stderr)

    def test_a_conda_folder(self):
        if subprocess.run([os.path.realpath("/usr/bin/python3"), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True,
                          text=True).stdout.strip() != self.version:
            self.skipTest("a copy of this machine's Python would not start in the image")
        layer = Layer()
        layer.file("opt/conda/bin/python3", pathlib.Path("/usr/bin/python3").resolve().read_bytes(), 0o755)
        layer.folder("opt/conda/lib/python" + self.version, "/usr/lib/python" + self.version)
        layer.file("opt/conda/lib/python%s/site-packages/packed.py" % self.version, PACKED)
        layer.file("opt/conda/lib/python%s/dist-packages/packed.py" % self.version, PACKED)
        layer.file("opt/conda/lib/python3/dist-packages/packed.py", PACKED)  # Debian's Python looks here
        cordon = self.image("conda", layer, PATH="/opt/conda/bin:" + USUAL, CONDA_PREFIX="/opt/conda")
        self.check(cordon, CHILDREN, "2 4 /opt/conda\n[6, 8]\n/opt/conda/bin/python3 /opt/conda", timeout=60)

    def test_python_path(self):
        layer = Layer()
        layer.file("opt/lib/packed.py", PACKED)
        cordon = self.image("path", layer, PYTHONPATH="/opt/lib")
        self.check(cordon, CHILDREN, "2 4 /usr\n[6, 8]\n/usr/bin/python3 /usr", timeout=60)
        self.assertIn("PYTHONPATH", self.doctor())

    def test_library_path(self):
        with tempfile.TemporaryDirectory() as folder:
            source, made = pathlib.Path(folder, "x.c"), pathlib.Path(folder, "libcordontest.so")
            source.write_text("int answer(void) { return 42; }\n")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source], check=True, timeout=LIMIT)
            layer = Layer()
            layer.file("opt/native/libcordontest.so", made.read_bytes(), 0o755)
        cordon = self.image("native", layer, LD_LIBRARY_PATH="/opt/native")
        self.check(cordon, "import ctypes; print(ctypes.CDLL('libcordontest.so').answer())", "42")

    def test_variables_of_its_own_and_ours(self):
        cordon = self.image("variables", self.venv(), MODEL="m", HOME="/root", TMPDIR="/root/tmp", LANG="C", TZ="XYZ-3")
        code = "import os, time; print([os.environ.get(n) for n in ('MODEL', 'HOME', 'TMPDIR', 'LANG')], time.tzname[0])"
        self.check(cordon, code, "['m', '/workspace', '/tmp', 'C'] XYZ")

    def test_one_that_is_built_anew_while_it_is_used(self):
        cordon = self.image("anew", self.venv(), PATH="/opt/venv/bin:" + USUAL, AGE="1")
        code = "import os, sys; print(sys.prefix, os.environ['AGE'])"
        self.check(cordon, code, "/opt/venv 1")
        self.image("anew", self.venv("newer"), PATH="/opt/newer/bin:" + USUAL, AGE="2")
        found = [cordon.run(code).text.strip() for _ in range(4)]  # those that are warm already are of the old one
        self.assertEqual(found[-1], "/opt/newer 2", found)
        self.assertLessEqual(set(found), {"/opt/venv 1", "/opt/newer 2"})

    def test_a_python3_that_is_in_no_usual_place(self):
        made = tempfile.NamedTemporaryFile(suffix=".tar")
        self.addCleanup(made.close)
        found = subprocess.run(["bash", "-c", ". scripts/lib.sh; image_tar python $(debian_release)"], cwd=ROOT, check=True, capture_output=True,
                               text=True, timeout=LIMIT * 10).stdout.strip()
        with tarfile.open(found) as old, tarfile.open(made.name, "w") as new:
            for about in old:
                at = about.name.removeprefix("./")
                if at.startswith("usr/bin/python3"):
                    about.name = "opt/only/bin/" + at.removeprefix("usr/bin/")
                new.addfile(about, old.extractfile(about) if about.isreg() else None)
        reference = "localhost/cordon-own-only:1"
        named = "/v4.0.0/libpod/images/import?reference=%s" if self.engine.podman else "/images/create?fromSrc=-&repo=%s"
        target = named % urllib.parse.quote(reference, safe="") + "&changes=" + urllib.parse.quote("ENV PATH=/opt/only/bin:" + USUAL)
        status, _, body = self.engine.request("POST", target, pathlib.Path(made.name).read_bytes(), {"Content-Type": "application/x-tar"})
        self.assertEqual(status, 200, body)
        self.check(self.cordon(reference), "import sys; print(sys.executable)", "/opt/only/bin/python3")

    def test_one_whose_python3_does_not_start(self):
        layer = Layer()
        layer.file("opt/broken/bin/python3", "#!/bin/sh\necho no libpython here >&2\nexit 1\n", 0o755)
        cordon = self.image("broken", layer, PATH="/opt/broken/bin:" + USUAL)
        result = cordon.run("print(1)")
        self.assertTrue(result.is_error, result)
        self.assertIn("/opt/broken/bin/python3, the image's python3, did not start", result.text)
        self.assertIn("no libpython here", result.text)


if __name__ == "__main__":
    unittest.main()
