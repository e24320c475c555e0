#!/usr/bin/env python3
"""python_test.py FILE|FOLDER [Class[.test]]...: tests of unittest as ctest runs them. A skip is seen: each prints a line `SKIPPED: test: why`, and
where nothing else ran the exit status is 77, which ctest shows as skipped."""
import importlib.util
import pathlib
import sys
import unittest

NOTHING_RAN = 77  # SKIP_RETURN_CODE in the CMakeLists.txt


class Result(unittest.TextTestResult):
    ran = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.ran += 1


def tests_of(path, names):
    path = pathlib.Path(path).resolve()
    loader = unittest.defaultTestLoader
    if path.is_dir():
        return loader.discover(str(path), top_level_dir=str(path))
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)


def main():
    result = unittest.TextTestRunner(resultclass=Result).run(tests_of(sys.argv[1], sys.argv[2:]))
    for test, why in result.skipped:
        print("SKIPPED: %s: %s" % (test.id(), " ".join(why.split())), flush=True)
    if not result.wasSuccessful():
        return 1
    if result.ran:
        return 0
    return NOTHING_RAN if result.skipped else 1  # there was no such test


if __name__ == "__main__":
    sys.exit(main())
