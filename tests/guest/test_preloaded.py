"""System: heavy modules imported while the container waits, in a second worker. A program notices nothing but that it is fast."""
import json
import os
import pathlib
import tempfile
import time
import unittest

from host import Guest

HEAVY = ("xml.dom.minidom", "http.client", "unittest.mock")


def prepared(guest):
    """Waits until all modules were tried; what was told of each, by name."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        told = list(guest.current)
        if told and told[-1][0] == "prepared":
            return {params["name"]: params for _, params in told[:-1]}
        time.sleep(0.02)
    raise AssertionError("not all modules were tried: %r" % guest.current)


def run_in(code, preload=HEAVY, **options):
    with Guest(preload=preload) as guest:
        prepared(guest)
        return guest.run(code, **options)


EARLY = "\nimport gc, sys\nprint(any(type(each).__name__ == 'Finder' and hasattr(each, 'edges') for each in getattr(sys, 'meta_' + 'path')))"


class Preloaded(unittest.TestCase):
    def test_what_it_imports_is_at_hand_and_told(self):
        with Guest(preload=HEAVY) as guest:
            told = prepared(guest)
            self.assertEqual(set(told), set(HEAVY))
            self.assertTrue(all(params["ms"] >= 0 and params["kib"] >= 0 for params in told.values()), told)
            result = guest.run("import http.client\nprint(http.client.OK.value)" + EARLY)
        self.assertEqual(result.stdout, "200\nTrue\n")

    def test_a_program_without_them_gets_the_bare_worker(self):
        self.assertEqual(run_in("print(1)" + EARLY).stdout, "1\nFalse\n")
        self.assertEqual(run_in("import json\nprint('http.client')" + EARLY).stdout, "http.client\nFalse\n")

    def test_a_program_that_could_notice_gets_the_bare_worker(self):
        for line in ("import os\nos.environ['A'] = '1'", "import importlib", "import os\nos.fork", "__import__('json')", "exec('1')",
                     "import sys\nsys.modules", "import warnings\nwarnings.simplefilter('error')"):
            self.assertEqual(run_in("import http.client\n" + line + EARLY).stdout.splitlines()[-1], "False", line)

    def test_modules_come_in_the_order_of_a_plain_import(self):
        for code in ("import http.client\n", "import unittest.mock\n", "from xml.dom import minidom\nimport http.client\n"):
            # "mod" + "ules" keeps the word out of the program, which else would be run by the bare worker
            seen = "import sys, json\nprint(json.dumps([name for name in getattr(sys, 'mod' + 'ules') if not name.startswith('_cordon')]))"
            early = json.loads(run_in(code + seen + EARLY).stdout.splitlines()[0])
            with Guest() as guest:
                time.sleep(0.5)  # it imports common modules, as the second worker has
                plain = json.loads(guest.run(code + seen + EARLY).stdout.splitlines()[0])
            self.assertEqual(sorted(early), sorted(plain), code)
            self.assertEqual([name for name in early if name in HEAVY], [name for name in plain if name in HEAVY])

    def test_a_module_is_as_it_was_imported(self):
        result = run_in("import http.client\nm = http.client\nprint(m.__spec__.name, type(m.__loader__).__name__, m.__spec__.origin == m.__file__)"
                        "\nimport http.client as again\nprint(m is again)" + EARLY)
        self.assertEqual(result.stdout, "http.client SourceFileLoader True\nTrue\nTrue\n")

    def test_modules_that_came_along_are_attributes_of_their_packages(self):
        code = "import xml.dom.minidom, sys\nprint([xml.dom.domreg.__name__, xml.dom.NodeFilter.__name__, xml.dom.minidom.xml.dom is xml.dom])"
        self.assertEqual(run_in(code + EARLY).stdout, "['xml.dom.domreg', 'xml.dom.NodeFilter', True]\nTrue\n")
        code = "import http.client\nprint(hasattr(http, 'cookies'), hasattr(http, 'client'), hasattr(http.client, 'email'))"
        self.assertEqual(run_in(code + EARLY, preload=("http.cookies", "http.client")).stdout, "False True True\nTrue\n")

    def test_a_program_that_ends_at_once_is_run_once(self):
        for end in ("", "\nimport os\nos._exit(0)", "\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)"):
            for _ in range(10):
                self.assertEqual(run_in("import http.client\nprint(1, flush=True)" + end).stdout, "1\n")

    def test_a_session_stays_with_its_worker(self):
        with Guest(preload=HEAVY) as guest:
            prepared(guest)
            guest.run("import http.client\nx = 42", session=True)
            self.assertEqual(guest.run("import unittest.mock\nprint(x)" + EARLY, session=True).stdout, "42\nTrue\n")

    def test_a_program_that_looks_for_processes_sees_no_other_worker(self):
        code = "import os\nprint(sorted(each for each in os.listdir('/proc') if each.isdigit() and int(each) not in (1, os.getpid())))"
        for first in ("import http.client\n", "", "import json  # http.client\n"):
            for _ in range(5):
                self.assertEqual(run_in(first + code).stdout, "[]\n")

    def test_the_first_worker_is_gone_soon(self):
        code = "import time, http.client, os\ntime.sleep(0.5)\nprint(len([each for each in os.listdir('/pr' + 'oc') if each.isdigit()]))"
        self.assertEqual(run_in(code).stdout, "2\n")

    def test_one_that_fails_is_told_and_costs_nothing(self):
        with Guest(preload=("no_such_module", "http.client")) as guest:
            told = prepared(guest)
            self.assertEqual(told["no_such_module"]["why"], "ModuleNotFoundError")
            self.assertEqual(guest.run("import http.client\nprint(1)" + EARLY).stdout, "1\nTrue\n")

    def test_nothing_is_imported_from_a_writable_place(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            pathlib.Path(folder, "mine.py").write_text("open(%r, 'w')" % (folder + "/ran"))
            with Guest(preload=("mine",), image={"PYTHONPATH": folder}) as guest:
                self.assertEqual(prepared(guest)["mine"]["why"], "ModuleNotFoundError")
            self.assertFalse(pathlib.Path(folder, "ran").exists())

    def test_what_it_prints_while_it_is_imported_is_nobodys(self):
        result = run_in("import this_is_not\n", preload=("this",))
        self.assertEqual(result.stdout, "")

    def test_before_it_is_ready_the_bare_worker_runs(self):
        with Guest(preload=HEAVY) as guest:
            self.assertEqual(guest.run("import http.client\nprint(1)").stdout, "1\n")

    def test_imports_of_a_program_are_told_if_they_are_the_images(self):
        with Guest() as guest:
            result = guest.run("import http.client, json\ndef f():\n    from xml.dom import minidom\nf()\nimport not_there_at_all", session=True)
            self.assertEqual(result.claimed["imports"], ["http.client", "xml.dom"])
            open_file = "open('mine.py', 'w').write('')\nimport mine"
            self.assertEqual(guest.run(open_file, session=True).claimed["imports"], [])


if __name__ == "__main__":
    unittest.main()
