#!/usr/bin/env python3
"""Holds the imports of src/guest against its rooms: each room may use those that are named here, and no import goes in a circle.

    lint_guest_rooms.py [FOLDER]     FOLDER: another copy of src/guest

Prints FILE: reason and exits 1 if it finds any.
"""
import pathlib
import re
import sys

MAY_USE = {
    "build": set(),
    "shared": {"shared"},
    "supervisor": {"supervisor", "shared"},
    "user": {"user", "shared"},
    "worker": {"worker", "user", "shared"},
}
# PID 1 forks the worker: in the child, or in the Python that the child executes, these enter the worker's room. Nothing else does.
DOORS = {("supervisor/worker_fork.py", "worker/worker.py"), ("supervisor/image.py", "worker/worker.py")}
# Also inside a text: the loaders are programs in one.
FROM_PACKAGE = re.compile(r"^[ \t]*from[ \t]+(?:\.|_cordon)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)", re.M)
FROM_MODULE = re.compile(r"^[ \t]*(?:from[ \t]+(?:\.|_cordon\.)(\w+)[ \t]+import|import[ \t]+_cordon\.(\w+))", re.M)


def imported(text):
    """Names of our modules that the text imports, wherever in it."""
    listed = [re.sub(r"#[^\n]*", "", names).strip("()") for names in FROM_PACKAGE.findall(text)]
    names = [name.split()[0] for names in listed for name in names.split(",") if name.strip()]
    return sorted({*names, *(one or other for one, other in FROM_MODULE.findall(text))})


def circle(uses):
    """Files of which each imports the next, the last one the first; nothing where there are none."""
    done = set()

    def visit(file, path):
        if file in path:
            return path[path.index(file):] + [file]
        if file in done:
            return None
        found = next(filter(None, (visit(each, path + [file]) for each in uses[file])), None)
        done.add(file)
        return found
    return next(filter(None, (visit(file, []) for file in uses)), None)


def faults(guest):
    """All that is wrong, a line each."""
    files = sorted(path.relative_to(guest).as_posix() for path in guest.rglob("*.py"))
    places = {pathlib.PurePath(file).stem: file for file in files}
    found, uses = [], {}
    for file in files:
        room = file.rpartition("/")[0]
        names = imported((guest / file).read_text(encoding="utf-8"))
        uses[file] = [places[name] for name in names if name in places]
        if room not in MAY_USE:
            found.append("%s: stands in no room (%s)" % (file, ", ".join(MAY_USE)))
            continue
        found += ["%s: imports %s, which is not there" % (file, name) for name in names if name not in places]
        found += ["%s: must not import %s" % (file, used) for used in uses[file]
                  if used.partition("/")[0] not in MAY_USE[room] and (file, used) not in DOORS]
    round_about = circle(uses)
    return found + (["%s: imports go in a circle" % " -> ".join(round_about)] if round_about else [])


def main():
    here = pathlib.Path(__file__).resolve().parent.parent / "src" / "guest"
    found = faults(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    for fault in found:
        print("src/guest/" + fault)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
