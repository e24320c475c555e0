#!/usr/bin/env python3
"""Plays golden conversations with a real cordon and a real engine: run.py [--update] CORDON [FILE]...

The form of a conversation is in README.md beside this. --update writes what the server said into the files.
"""
import difflib
import pathlib
import sys

import over_http
import over_stdio
from form import read
from settings import Settings

HERE = pathlib.Path(__file__).resolve().parent


def play(cordon, text):
    """The conversation as it really went, in the same form."""
    blocks = read(text)
    settings = Settings(blocks)
    return (over_http if "--http" in settings.flags else over_stdio).play(cordon, settings, blocks)


def main(arguments):
    update = "--update" in arguments
    cordon, *files = [each for each in arguments if each != "--update"]
    failed = 0
    for file in [pathlib.Path(each) for each in files] or sorted(HERE.glob("20*.txt")):
        text = file.read_text()
        went = play(cordon, text)
        if went == text:
            print("ok   %s" % file.name)
        elif update:
            file.write_text(went)
            print("new  %s" % file.name)
        else:
            failed += 1
            print("DIFFERS  %s" % file.name)
            print("\n".join(difflib.unified_diff(text.splitlines(), went.splitlines(), "as agreed", "as it went", lineterm="", n=4)))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
