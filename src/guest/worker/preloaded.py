"""The second worker: heavy modules, imported while the container waits and then out of sight, until the program imports them.

Nobody's code has run here. What was imported leaves `sys.modules` again. When the program imports one of the modules, it comes back with
all that its import had brought, in the same order, as if it were imported then; the rest stays away. So a program finds what it
would find after an import of its own, but sooner.
"""
import ast
import builtins
import importlib
import importlib.util
import os
import re
import sys
import time

ROOM = 1 << 20  # characters of a program that is looked at; a longer one gets the bare worker

# Words of programs that could notice, or that expect their own doing to precede an import. In comments, too: such a program is only slower.
SENSITIVE = re.compile(r"\b(environ|putenv|setenv|unsetenv|modules|meta_path|path_hooks|path_importer_cache|importlib|__import__|import_module|"
                       r"builtins|fork|forkpty|setprofile|settrace|addaudithook|ctypes|exec|eval|compile|proc|psutil|runpy|pkgutil|imp|tracemalloc|"
                       r"simplefilter|filterwarnings|catch_warnings|chdir|LD_PRELOAD)\b|sys\.path|sys\.flags")


class Preloaded:
    """The modules named by `wanted` (a number of bytes that they may use, then names, each on a line). `tell(method, params)` tells PID 1."""

    def __init__(self, wanted, tell):
        self.tell = tell
        lines = wanted.split("\n")
        self.most_bytes, self.names = int(lines[0]), lines[1:]
        self.imported = []   # names that the program may use
        self.modules = {}    # hidden: name → module, in the order of sys.modules
        self.edges = {}      # name → names that it imports

    def prepare(self):
        before = dict(sys.modules)
        path, sys.path[:] = sys.path[:], [place for place in sys.path if not is_writable(place)]
        try:
            with Recorder(self.edges):
                for name in self.names:
                    self._import(name)
        finally:
            sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if name not in before:
                self.modules[name] = module
        for name, module in self.modules.items():
            set_in_package(name, module, False)
        for name in self.modules:
            del sys.modules[name]
        self.tell("prepared", {"names": self.imported})

    def _import(self, name):
        self.tell("importing", {"name": name})
        used, began = resident(), time.monotonic()
        if used > self.most_bytes:
            return self.tell("imported", {"name": name, "why": "memory"})
        try:
            importlib.import_module(name)
        except BaseException as failure:
            return self.tell("imported", {"name": name, "why": type(failure).__name__})
        self.imported.append(name)
        self.tell("imported", {"name": name, "ms": int((time.monotonic() - began) * 1000), "kib": max(0, resident() - used) >> 10})

    def suits(self, source):
        """Whether a program is to run here. If so, what it imports is at hand from now on."""
        if len(source) > ROOM or SENSITIVE.search(source) or not self.uses(imports_of(source)):
            return False
        sys.meta_path.insert(0, Finder(self.modules, self.edges))
        return True

    def uses(self, names):
        return any(mine == name or mine.startswith(name + ".") or name.startswith(mine + ".") for mine in self.imported for name in names)


class Finder:
    """Finds hidden modules, and puts back with each what its import had brought."""

    def __init__(self, modules, edges):
        self.modules, self.edges = modules, edges
        self.specs = {}

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        wanted, back = self._behind(name), []
        for other in [each for each in self.modules if each in wanted]:
            module = self.modules.pop(other)
            if other != name and other not in sys.modules:
                sys.modules[other] = module
                back.append((other, module))
            elif other == name:
                found = module
        spec = getattr(found, "__spec__", None)
        self.specs[name] = found, spec, back
        return importlib.util.spec_from_loader(name, self, origin=getattr(spec, "origin", None))

    def _behind(self, name):
        """The names of all that its import brought, itself among them."""
        wanted, left = set(), [name]
        while left:
            each = left.pop()
            if each in wanted or each not in self.modules:
                continue
            wanted.add(each)
            left.extend(self.edges.get(each, ()))
            left.append(each.rpartition(".")[0])
        return wanted

    def create_module(self, spec):
        return self.specs[spec.name][0]

    def exec_module(self, module):
        name = next(name for name, (found, _, _) in self.specs.items() if found is module)
        _, spec, back = self.specs.pop(name)
        for other, imported in back:
            set_in_package(other, imported, True)  # it is loaded itself by now
        try:
            module.__spec__ = spec
        except AttributeError:
            pass  # some put an object of their own in their place


class Recorder:
    """Notes who imports what, while it is entered."""

    def __init__(self, edges):
        self.edges = edges

    def __enter__(self):
        self.plain, self.dynamic = builtins.__import__, importlib.import_module

        def recording(name, globals=None, locals=None, fromlist=(), level=0):
            count = len(sys.modules)
            module = self.plain(name, globals, locals, fromlist, level)
            importer = (globals or {}).get("__name__")
            try:
                whole = importlib.util.resolve_name("." * level + name, globals.get("__package__") or importer) if level else name
            except (ImportError, ValueError, AttributeError, TypeError):
                return module
            self.note_new(whole, count)
            self.note(importer, whole, *(whole + "." + item for item in fromlist or () if isinstance(item, str)))
            return module

        def import_module(name, package=None):
            count = len(sys.modules)
            module = self.dynamic(name, package)
            self.note_new(getattr(module, "__name__", name), count)
            self.note(sys._getframe(1).f_globals.get("__name__"), getattr(module, "__name__", name))
            return module
        builtins.__import__, importlib.import_module = recording, import_module
        return self

    def note_new(self, name, count):
        """What came while it was imported; some is imported by C, and not seen else."""
        if len(sys.modules) > count:
            self.note(name, *list(sys.modules)[count:])

    def note(self, importer, *names):
        if isinstance(importer, str):
            self.edges.setdefault(importer, set()).update(name for name in names if name in sys.modules)

    def __exit__(self, *_):
        builtins.__import__, importlib.import_module = self.plain, self.dynamic


def set_in_package(name, module, there):
    """A module is an attribute of its package, if that is loaded and it is imported; and not if it is hidden."""
    package, _, last = name.rpartition(".")
    parent = sys.modules.get(package)
    if parent is None:
        return
    try:
        if there:
            setattr(parent, last, module)
        elif vars(parent).get(last) is module:
            delattr(parent, last)
    except (AttributeError, TypeError):
        pass  # no ordinary module


def imports_of(source, most=64):
    """Names of the modules in a program's import statements, at any depth, in the order of the text; none where it is no Python."""
    if "import" not in source:
        return []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return imports_in(tree, most)


def imports_in(tree, most=64):
    found, left = {}, [tree]
    while left and len(found) < most:
        node = left.pop()
        if isinstance(node, ast.Import):
            found.update(dict.fromkeys(alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found[node.module] = None
        for field in ("handlers", "finalbody", "orelse", "body", "cases"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                left.extend(reversed(inner))
    return list(found)[:most]


def from_the_image(names):
    """Those that were imported and lie where no program can write, so that another container has the same."""
    found = []
    for name in names:
        place = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(place, str) and not is_writable(os.path.dirname(place)):
            found.append(name)
    return found


def is_writable(place):
    return os.access(place or ".", os.W_OK)


def resident():
    """Bytes of memory that this process has in use."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
