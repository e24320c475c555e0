"""Limits that are hit are named, with their values. On podman as root, and in lab guests (--full): there all of them are in force."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402

EAT = "kept = []\nwhile True: kept.append(bytearray(16 << 20))"


class Limits(Case):
    # so few processes that all of them together fit the memory: else either limit may be met first
    flags = ("--memory", "128m", "--pids", "48")

    def test_memory(self):
        result = self.fails("print('before', flush=True)\n" + EAT, "out of memory (128 MiB)", "before")
        self.assertEqual(result.status, "out_of_memory")

    def test_memory_of_a_child(self):
        result = self.cordon.run("import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', %r]).returncode)\nprint('goes on')" % EAT)
        self.assertEqual(result.status, "success", result)
        self.assertIn("-9\ngoes on\n", result.text)
        self.assertIn("[the memory limit of 128 MiB was hit]", result.text)
        self.assertEqual(result.facts["limits"], ["memory"])

    def test_time(self):
        result = self.fails("import time\nprint('before', flush=True)\ntime.sleep(60)", "timed out after 1 s", "before", timeout=1)
        self.assertEqual((result.status, result.facts["limits"]), ("timeout", ["time"]))

    def test_processes(self):
        result = self.fails("import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(60)\n        os._exit(0)", "BlockingIOError", "processes was hit")
        self.assertIn("processes", result.facts["limits"])

    def test_disk(self):
        result = self.fails("with open('/tmp/full', 'wb') as file:\n    while True: file.write(bytes(1 << 20))", "No space left", "the disk is full", "/tmp 64 MiB")
        self.assertIn("disk", result.facts["limits"])

    def test_open_files(self):
        most = self.value("import resource\nresource.getrlimit(resource.RLIMIT_NOFILE)[0]") # an engine may not set the usual one
        result = self.fails("kept = []\nwhile True: kept.append(open('/dev/null'))", "Too many open files", most + " open files")
        self.assertIn("open_files", result.facts["claimedLimits"])  # nobody but the code sees it

    def test_after_all_of_them_the_next_run_is_as_ever(self):
        self.fails(EAT)
        result = self.cordon.run("print('as ever')")
        self.assertEqual((result.text, result.facts.get("limits")), ("as ever\n", None))


if __name__ == "__main__":
    unittest.main()
