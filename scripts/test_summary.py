#!/usr/bin/env python3
"""test_summary.py SECONDS NAME=FILE...: the closing lines of scripts/test. What ran, what was skipped and why, what failed, how long it took.
Each FILE is what ctest wrote with --output-junit; one that is not there did not run to its end."""
import re
import sys
import xml.etree.ElementTree as xml

# a line for each skip within a test that ran: python_test.py, attack/run.py, doctest's MESSAGE
SKIPS = re.compile(r"^(?:SKIPPED: |skipped {2}| *\S* MESSAGE: skipped: )(.*)$", re.M)


def duration(seconds):
    return "%d min %d s" % divmod(round(seconds), 60) if seconds >= 60 else "%.0f s" % seconds


class Run:
    """One run of ctest."""

    def __init__(self, name, file):
        self.name, self.passed, self.failed, self.skipped, self.cases, self.seconds = name, [], [], [], [], []
        try:
            tests = xml.parse(file).getroot().iter("testcase")
        except (OSError, xml.ParseError):
            tests = []
        for test in tests:
            self.add(test.get("name"), test.get("status"), float(test.get("time") or 0), test.findtext("system-out") or "")

    def add(self, name, status, seconds, output):
        reasons = [" ".join(each.split()) for each in SKIPS.findall(output)]
        {"run": self.passed, "fail": self.failed}.get(status, self.skipped).append(name)
        self.cases += ["%s: %s" % (name, why) for why in reasons or ([] if status in ("run", "fail") else ["skipped, for no reason given"])]
        self.seconds.append((seconds, name))

    def lines(self):
        if not self.seconds:
            return ["%s: did not run to its end" % self.name]
        ran = len(self.passed) + len(self.failed)
        text = "%s: %d ran, %d passed, %d failed, %d skipped as a whole" % (self.name, ran, len(self.passed), len(self.failed), len(self.skipped))
        slow = ["%s %s" % (name, duration(seconds)) for seconds, name in sorted(self.seconds, reverse=True)[:3]]
        return [text + "; the longest: " + ", ".join(slow), *("FAILED   " + each for each in self.failed), *("skipped  " + each for each in self.cases)]


def main():
    runs = [Run(*each.split("=", 1)) for each in sys.argv[2:]]
    for line in [line for run in runs for line in run.lines()]:
        print(line)
    print("took %s" % duration(float(sys.argv[1])))


if __name__ == "__main__":
    main()
