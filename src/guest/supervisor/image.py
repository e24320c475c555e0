"""PID 1, and the child that it forked: the environment that the image sets, and the Python that is its `python3`. PID 1 itself has neither."""
import os
import stat
import sys
import zlib

# The container's own stay: what they name is writable, or has no window to draw in.
OURS = ("HOME", "TMPDIR", "MPLBACKEND", "MPLCONFIGDIR")
LISTED = "CORDON_IMAGE_ENV"  # names of what the image set

# What a Python and its loader read before a line of ours runs. Of the rest, code reads what it wants when it wants it.
LOADER_VARIABLES = ("LD_", "GLIBC_TUNABLES", "MALLOC_")
WITHOUT_EFFECT = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONSTARTUP", "PYTHONINSPECT")
WITH_EFFECT = ("PYTHON_GIL", "PYTHON_CPU_COUNT", "PYTHON_FROZEN_MODULES", "PYTHON_JIT", "PYTHON_TLBC", "PYTHON_PRESITE",
               "PYTHON_THREAD_INHERIT_CONTEXT", "PYTHON_CONTEXT_AWARE_WARNINGS", "PYTHON_PERF_JIT_SUPPORT")

LOADER = '''import os, zlib
def read(size):
 data = b""
 while len(data) < size:
  data += os.read(3, size - len(data)) or os._exit(1)
 return data
def part():
 return read(int(read(10)))
exec(zlib.decompress(part()))
from _cordon import worker
worker.main_of_own_python(part())
'''


class Home:
    """Where the worker is to live. `python`: what it is to execute; None where PID 1's own Python is the image's, and a fork will do."""

    def __init__(self, image_variables, program):
        self.image = variables(image_variables)
        self.code = program
        self.environment = merged(dict(os.environ), self.image)
        found = first_python(self.environment.get("PATH", ""))
        self.is_own = found is None or is_this_python(found)
        forked = self.is_own and not any(value and changes_start(name) for name, value in self.image.items())
        self.python = None if forked else found or sys.executable

    def enter(self):
        """In the child."""
        if self.python:
            os.set_inheritable(3, True)
            os.execve(self.python, [self.python, "-u", "-B", "-X", "utf8", "-c", LOADER], self.environment)
        for name, value in self.environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value
        if "TZ" in self.image:
            import time
            time.tzset()

    def program(self, preload):
        """What LOADER reads: the program and our modules, as PID 1 got them, and what is to be imported early."""
        own = __spec__.loader
        return b"".join(b"%010d" % len(part) + part for part in (zlib.compress(self.code, 1), own.packed_sources, own.packed_codes, preload))

    def facts(self):
        return {"python": self.python or sys.executable, "executed": self.python is not None, "variables": sorted(self.image)}


def variables(data):
    """`NAME=value` and a NUL, any number of times."""
    found = {}
    for entry in data.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if name and equals:
            found[os.fsdecode(name)] = os.fsdecode(value)
    return found


def merged(given, image):
    """The container's environment with the image's: the image's wins but for what is ours, and what the engine set."""
    environment = dict(given)
    for name, value in image.items():
        if name not in given or name in ("PATH", "LANG"):
            environment[name] = value
    environment[LISTED] = " ".join(sorted(name for name in image if name not in given or name in ("PATH", "LANG")))
    return environment


def first_python(path):
    """The first `python3` of a PATH that we may execute."""
    for folder in path.split(":"):
        place = folder.rstrip("/") + "/python3"
        if folder.startswith("/") and is_program(place):
            return place
    return None


def is_program(place):
    try:
        return stat.S_ISREG(os.stat(place).st_mode) and os.access(place, os.X_OK)
    except OSError:
        return False


def is_this_python(place):
    """Whether it would start as the Python that runs: the same file, and no folder of a virtual environment around it."""
    own = sys.executable
    if not own:
        return False
    if where(place) == where(own):
        return True
    folder = os.path.dirname(place)
    apart = any(os.path.exists(os.path.join(around, "pyvenv.cfg")) for around in (folder, os.path.dirname(folder)))
    try:
        return os.path.samefile(place, own) and not apart and sys.prefix == sys.base_prefix
    except OSError:
        return False


def where(place):
    folder, name = os.path.split(place)
    return os.path.realpath(folder), name


def changes_start(name):
    """Whether a variable does something while a Python starts."""
    if name.startswith("PYTHON") and not name.startswith("PYTHON_"):
        return name not in WITHOUT_EFFECT
    return name in WITH_EFFECT or name.startswith(LOADER_VARIABLES)
