"""Unit: scripts/lint_guest_rooms.py lets src/guest as it is pass, and names an import that enters a room it must not."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINT = ROOT / "scripts" / "lint_guest_rooms.py"


class Rooms(unittest.TestCase):
    def judged(self, file=None, text=""):
        """What the check says of a copy of src/guest in which the text was added to the file, and its status."""
        with tempfile.TemporaryDirectory() as folder:
            guest = pathlib.Path(folder, "guest")
            shutil.copytree(ROOT / "src" / "guest", guest)
            if file:
                with open(guest / file, "a", encoding="utf-8") as out:
                    out.write(text)
            ended = subprocess.run([sys.executable, str(LINT), str(guest)], capture_output=True, text=True, timeout=60)
        return ended.stdout, ended.returncode

    def test_the_rooms_as_they_are(self):
        self.assertEqual(self.judged(), ("", 0))

    def test_an_import_into_a_room_that_is_closed_to_it(self):
        for file, text, used in (
                ("supervisor/pipes.py", "\nfrom . import channel\n", "worker/channel.py"),
                ("supervisor/pipes.py", "\nfrom . import (cgroup,\n               runtime as helpers)\n", "user/runtime.py"),
                ("supervisor/start.py", "\ndef late():\n    from .worker import run\n", "worker/worker.py"),
                ("supervisor/start.py", "\nPROGRAM = '''\nfrom _cordon import interpreter\n'''\n", "worker/interpreter.py"),
                ("worker/streams.py", "\nimport _cordon.outbox\n", "supervisor/outbox.py"),
                ("user/records.py", "\nfrom .program import Program\n", "worker/program.py"),
                ("shared/wire.py", "\nfrom . import errors\n", "user/errors.py"),
                ("build/bundle.py", "\nfrom _cordon import wire\n", "shared/wire.py")):
            with self.subTest(file=file, text=text):
                said, status = self.judged(file, text)
                self.assertEqual((said.splitlines()[0], status), ("src/guest/%s: must not import %s" % (file, used), 1))

    def test_imports_in_a_circle(self):
        said, status = self.judged("shared/wire.py", "\ndef late():\n    from . import wire_parts\n")
        self.assertEqual((said, status), ("src/guest/shared/wire.py: imports wire_parts, which is not there\n", 1))
        said, status = self.judged("supervisor/processes.py", "\ndef late():\n    from .stillness import Stillness\n")
        self.assertEqual((said, status), (
            "src/guest/supervisor/processes.py -> supervisor/stillness.py -> supervisor/processes.py: imports go in a circle\n", 1))

    def test_a_file_in_no_room(self):
        self.assertEqual(self.judged("stray.py", ""), (
            "src/guest/stray.py: stands in no room (build, shared, supervisor, user, worker)\n", 1))


if __name__ == "__main__":
    unittest.main()
