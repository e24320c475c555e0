"""System: an image that sets variables, and one whose `python3` is another than PID 1's."""
import os
import pathlib
import shutil
import tempfile
import unittest

import units  # noqa: F401
from _cordon import image
from host import PYTHON, TREE, Guest, wait_until

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
WHERE = "import os, sys; print(sys.executable, sys.prefix, sys.flags.isolated, os.getppid())"


class Variables(unittest.TestCase):
    def test_they_are_read_as_they_were_sent(self):
        self.assertEqual(image.variables(b"A=1\0B=x=y\0C=\0=no\0none\0"), {"A": "1", "B": "x=y", "C": ""})
        self.assertEqual(image.variables(b""), {})

    def test_the_images_win_but_for_places_that_are_ours(self):
        given = {"PATH": "/bin", "HOME": "/workspace", "LANG": "C.UTF-8", "HOSTNAME": "sandbox"}
        found = image.merged(given, {"PATH": "/opt/bin", "HOME": "/root", "LANG": "de_DE.UTF-8", "HOSTNAME": "x", "MODEL": "m"})
        self.assertEqual(found, {"PATH": "/opt/bin", "HOME": "/workspace", "LANG": "de_DE.UTF-8", "HOSTNAME": "sandbox", "MODEL": "m",
                                 "CORDON_IMAGE_ENV": "LANG MODEL PATH"})

    def test_only_what_a_start_reads_asks_for_a_start(self):
        for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONOPTIMIZE", "PYTHONNEWINTHEFUTURE", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHON_GIL"):
            self.assertTrue(image.changes_start(name), name)
        for name in ("PATH", "LANG", "PYTHON_VERSION", "PYTHON_SHA256", "PYTHON_PIP_VERSION", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
                     "GPG_KEY", "VIRTUAL_ENV", "CONDA_PREFIX", "MODEL"):
            self.assertFalse(image.changes_start(name), name)

    def test_the_first_python3_that_may_be_executed_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, mode in (("a", 0o644), ("b", 0o755), ("c", 0o755)):
                place = pathlib.Path(folder, name, "python3")
                place.parent.mkdir()
                place.write_text("")
                place.chmod(mode)
            pathlib.Path(folder, "d", "python3").mkdir(parents=True)
            path = ":".join(["", "relative", "/none", folder + "/d", folder + "/b/", folder + "/c"])
            self.assertEqual(image.first_python(path), folder + "/b/python3")
            self.assertIsNone(image.first_python(folder + "/d::."))


class OwnPython(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # a folder that the guest sees; the machine's /tmp is not
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="cordon-own-", dir=(TREE or "") + "/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.folder.chmod(0o755)
        cls.inside = "/" + str(cls.folder)[len(TREE):].lstrip("/")
        with Guest() as guest:
            cls.version = guest.ready_params["python"]
        cls.venv = cls.make_venv("venv")
        library = cls.folder / "lib"
        library.mkdir()
        (library / "ofpath.py").write_text("VALUE = 'path'\n")

    @classmethod
    def make_venv(cls, name):
        minor = ".".join(cls.version.split(".")[:2])
        packages = cls.folder / name / "lib" / ("python" + minor) / "site-packages"
        packages.mkdir(parents=True)
        (packages / "ofvenv.py").write_text("VALUE = 'venv'\ndef double(x):\n    return 2 * x\n")
        (cls.folder / name / "bin").mkdir()
        (cls.folder / name / "bin" / "python3").symlink_to(PYTHON)
        (cls.folder / name / "pyvenv.cfg").write_text("home = %s\nversion = %s\n" % (os.path.dirname(PYTHON), cls.version))
        return cls.inside + "/" + name

    def script(self, name, text):
        place = self.folder / name / "python3"
        place.parent.mkdir()
        place.write_text(text)
        place.chmod(0o755)
        return self.inside + "/" + name

    def test_variables_alone_leave_the_worker_a_fork(self):
        with Guest(image={"PATH": SYSTEM, "MODEL": "m", "HOME": "/root", "PYTHON_VERSION": "3.14.0"}) as guest:
            result = guest.run("import os, sys\nprint(os.environ['MODEL'], os.environ['HOME'], os.environ['PATH'], sys.flags.isolated)")
            self.assertEqual(result.stdout, "m /workspace %s 1\n" % SYSTEM, result)
            facts = guest.ready_params["attestation"]["worker"]
            self.assertEqual((facts["executed"], facts["variables"]), (False, ["HOME", "MODEL", "PATH", "PYTHON_VERSION"]))
            self.assertNotIn("MODEL", guest.ready_params["attestation"]["environment"])

    def test_a_time_zone_of_the_image_is_in_force(self):
        with Guest(image={"TZ": "XYZ-3"}) as guest:
            self.assertEqual(guest.run("import time; print(time.tzname[0], time.timezone)").stdout, "XYZ -10800\n")

    def test_a_virtual_environment_is_the_code_s_python(self):
        with Guest(image={"PATH": self.venv + "/bin:" + SYSTEM, "VIRTUAL_ENV": self.venv}) as guest:
            result = guest.run(WHERE)
            self.assertEqual(result.stdout, "%s/bin/python3 %s 0 1\n" % (self.venv, self.venv), result)
            self.assertEqual(guest.ready_params["python"], self.version)
            worker = guest.ready_params["attestation"]["worker"]
            self.assertEqual(worker, {"python": self.venv + "/bin/python3", "executed": True, "variables": ["PATH", "VIRTUAL_ENV"]})

    def test_what_is_in_it_is_found_by_code_by_children_and_by_processes(self):
        code = """
import multiprocessing, subprocess, sys
import ofvenv
if __name__ == "__main__":
    print(ofvenv.VALUE, subprocess.run([sys.executable, "-c", "import ofvenv; print(ofvenv.VALUE)"], capture_output=True, text=True).stdout.strip())
    print(subprocess.run(["python3", "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True).stdout.strip())
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(ofvenv.double, [1, 2]))
"""
        with Guest(image={"PATH": self.venv + "/bin:" + SYSTEM}) as guest:
            result = guest.run(code, timeout=60)
            self.assertEqual(result.stdout, "venv venv\n%s\n[2, 4]\n" % self.venv, result)

    def test_python_path_is_in_force(self):
        with Guest(image={"PYTHONPATH": self.inside + "/lib"}) as guest:
            result = guest.run("import sys, ofpath; print(ofpath.VALUE, sys.path[0] == '', sys.path[1])")
            self.assertEqual(result.stdout, "path True %s/lib\n" % self.inside, result)
            self.assertTrue(guest.ready_params["attestation"]["worker"]["executed"])

    def test_the_supervisor_has_nothing_of_it(self):
        with Guest(image={"PYTHONPATH": self.inside + "/lib", "LD_LIBRARY_PATH": "/x", "SECRET": "s"}) as guest:
            facts = guest.ready_params["attestation"]
            self.assertFalse({"PYTHONPATH", "LD_LIBRARY_PATH", "SECRET"} & set(facts["environment"]))
            self.assertEqual(facts["dumpable"], 0)

    def test_it_is_confined_as_a_fork_is(self):
        code = """
import ctypes, os
def attempt(what):
    try:
        what()
        return "WON"
    except OSError as failure:
        return failure.errno
os.kill(1, 9)  # which the kernel drops
print(attempt(lambda: open("/proc/1/environ").read()), attempt(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19)))
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("Seccomp:")], open("/proc/self/oom_score_adj").read().strip())
print(sorted(os.listdir("/proc/self/fd"))[:4], os.get_inheritable(3))
print(open("/proc/self/status").read().split("SigIgn:")[1].split()[0])
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, 1, 0, 0))
"""
        found = []
        for variables in ({}, {"PYTHONPATH": "/x"}):
            with Guest(image=variables) as guest:
                found.append(guest.run(code).stdout)
        self.assertEqual(found[0], found[1])
        self.assertNotIn("WON", found[0])

    def test_sessions_calls_and_output_work_in_it(self):
        tools = {"calc": {"add": lambda arguments: {"content": [{"type": "text", "text": str(arguments["a"] + arguments["b"])}]}}}
        with Guest(image={"PATH": self.venv + "/bin:" + SYSTEM}, tools=tools) as guest:
            self.assertEqual(guest.run("x = 20\nprint('é')", session=True).stdout, "é\n")
            result = guest.run("print(await mcp_calc.add(a=x, b=22))\nraise ValueError(x)", session=True)
            self.assertEqual(result.stdout, "42\n")
            self.assertEqual(result.error, "ValueError: 20")
            self.assertNotIn("<cordon", result.stderr)
            self.assertNotIn("<string>", result.stderr)

    def test_code_of_an_earlier_guest_serves_it(self):
        with Guest() as guest:
            codes = guest.compiled
        with Guest(image={"PATH": self.venv + "/bin:" + SYSTEM}, codes=codes) as guest:
            self.assertEqual(guest.compiled, b"")
            self.assertEqual(guest.run("print(1)").stdout, "1\n")

    def old(self, name):
        """One that takes itself for a 3.8."""
        begin = 'import sys; sys.version_info = (3, 8, 10, "final", 0); sys.executable = "%s/%s/python3"' % (self.inside, name)
        begin += '; exec(open("/proc/self/cmdline").read().split(chr(0))[-2])'
        return self.script(name, "#!/bin/sh\nexec %s -I -u -B -X utf8 -c '%s' \"$@\"\n" % (PYTHON, begin))

    def test_a_supervisor_too_old_makes_room_for_the_next(self):
        place = self.old("old")
        with Guest(python=place + "/python3", env={**os.environ, "PATH": place + ":" + os.environ["PATH"] + ":/usr/bin"}) as guest:
            self.assertEqual(guest.run("import os; print(os.getppid())").stdout, "1\n")
            self.assertTrue(guest.compiled)

    def test_too_old_and_none_besides_is_said(self):
        place = self.old("alone")
        for options in ({"python": place + "/python3"}, {"image": {"PATH": place + ":" + SYSTEM}}):
            with Guest(wait=False, **options) as guest:
                self.assertTrue(guest.closed.wait(30))
                wait_until(lambda guest=guest: guest.last_words)
            self.assertIn("the image's %s/python3 is Python 3.8: 3.9 or newer is needed" % place, guest.last_words.decode())

    def test_one_that_does_not_start_says_why(self):
        place = self.script("broken", "#!/bin/sh\necho 'python3: cannot load libpython3.12.so' >&2\nexit 127\n")
        with Guest(image={"PATH": place + ":" + SYSTEM}, wait=False) as guest:
            self.assertTrue(guest.closed.wait(30))
            wait_until(lambda guest=guest: guest.last_words)
        said = guest.last_words.decode()
        self.assertIn("%s/python3, the image's python3, did not start" % place, said)
        self.assertIn("cannot load libpython3.12.so", said)


if __name__ == "__main__":
    unittest.main()
