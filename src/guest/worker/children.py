"""The worker: what multiprocessing's spawned children need. They begin in a fresh Python, which has nothing of the program but its files.

A program that is one call and guards its main part is run again, as Python does. Of any other (a session's earlier calls, no guard,
a top-level await) the child gets the imports, functions, classes and constants, and small values: nothing that does work.
"""
import ast
import os
import pickle
import sys
import weakref

from . import patching

STUB = '''"""In a child process: the names of `mcp` exist, so that the program's imports work; calls are refused."""
import sys
import types
from importlib.machinery import ModuleSpec


class MCPError(RuntimeError):
    pass


def _refuse(*arguments, **named):
    raise RuntimeError("only the process that run_python started can make calls; this is a child of it")


class _Names(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MCPError if name[:1].isupper() else _refuse


class _Finder:
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.startswith("mcp.") else None

    def create_module(self, spec):
        return _Names(spec.name)

    def exec_module(self, module):
        module.__all__ = []


sys.meta_path.insert(0, _Finder())
import mcp.runtime as runtime, mcp.servers as servers, mcp.tools as tools  # noqa
'''

CHILD = '''"""In a child process: the definitions of the program's calls."""
import __future__
import ast
import pickle

PLAIN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
WORK = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def works(node):
    if isinstance(node, WORK):
        return True
    return not isinstance(node, ast.Lambda) and any(map(works, ast.iter_child_nodes(node)))


def is_definition(node):
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return node.value is not None and not works(node)
    if isinstance(node, (ast.If, ast.Try)):
        parts = node.body + node.orelse + getattr(node, "finalbody", [])
        parts += [each for handler in getattr(node, "handlers", []) for each in handler.body if not isinstance(each, ast.Pass)]
        return all(map(is_definition, parts))
    return isinstance(node, PLAIN)


class Missing:
    def __init__(self, name):
        self.name = name

    def __call__(self, *arguments, **named):
        raise RuntimeError(CANNOT % self.name)


def missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Missing(name)


def fill(namespace, files, values, whole):
    """Runs the definitions of these files; all of the last one where it guards its main part."""
    namespace["__getattr__"] = missing
    try:
        with open(values, "rb") as file:
            for name, value in pickle.load(file).items():
                try:
                    namespace[name] = pickle.loads(value)
                except Exception:
                    pass
    except OSError:
        pass
    flags = 0
    for path in files:
        try:
            with open(path, encoding="utf-8", errors="surrogatepass") as file:
                text = file.read()
            tree = compile(text, path, "exec", flags | ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (OSError, SyntaxError):
            continue
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for alias in node.names:
                    flags |= getattr(__future__, alias.name).compiler_flag
            run_all = whole and path == files[-1]
            if not run_all and not is_definition(node):
                continue
            try:
                exec(compile(ast.Module([node], []), path, "exec", flags, dont_inherit=True), namespace)
            except Exception:
                if run_all:
                    raise
'''

CANNOT = (
    "multiprocessing with spawn or forkserver begins in a new Python, which has of this program only its imports, functions, classes and "
    "constants: not %r. Define it with `def` or `class` at the top of a call, or use multiprocessing.get_context('fork')")
DIED = ("a process of the pool ended with status %s, and what it was to do is lost; its own words, if it had any, are on stderr. A function "
        "has to be defined before the pool is made")
MAX_VALUES = 16 << 20
SIMPLE = ("builtins", "datetime", "decimal", "fractions", "pathlib", "collections", "numpy", "pandas")  # whose values are sent along

files = []         # of the calls of this interpreter, the one under way last
written = set()    # what lies in the children's directory already


def add_program(filename):
    """Before each execution."""
    files.append(filename)


def prepare(directory):
    """What is done to multiprocessing.spawn after its import."""
    place = os.path.join(directory, "children")

    def patch(spawn):
        plain = spawn.get_preparation_data

        def get_preparation_data(name):
            data = plain(name)
            try:
                write(os.path.join(place, "mcp", "__init__.py"), STUB)
                data["sys_path"] = [place] + data["sys_path"]
                main = main_file(place)
                if main and data.get("init_main_from_path") == files[-1]:
                    data["init_main_from_path"] = main
            except (OSError, KeyError):
                pass  # a full disk: only a child that needs it misses it
            return data
        spawn.get_preparation_data = patching.like(plain, get_preparation_data)
    return patch


def main_file(place):
    """The file that a child runs as its main module; None where that is the program itself."""
    tree = tree_of(files[-1])
    whole = any(isinstance(node, ast.If) and any(isinstance(name, ast.Name) and name.id == "__name__" for name in ast.walk(node.test))
                for node in tree.body)
    if whole and len(files) == 1 and not is_async(tree):
        return None
    write(os.path.join(place, "run_python_child.py"), CHILD + "\nCANNOT = %r\n" % CANNOT)
    values = os.path.join(place, "values%d" % len(files))
    with open(values + ".new", "wb") as file:
        pickle.dump(simple_values(), file)
    os.replace(values + ".new", values)  # a child may be reading the last one
    main = os.path.join(place, "main%d.py" % len(files))
    write(main, "__import__('run_python_child').fill(globals(), %r, %r, %r)\n" % (files, values, whole and not is_async(tree)))
    return main


def simple_values():
    """Name -> pickle, of the program's values that are plain data, as far as there is room."""
    found, room = {}, MAX_VALUES
    for name, value in list(sys.modules["__main__"].__dict__.items()):
        if name.startswith("__") or isinstance(value, type) or callable(value) or type(value).__module__.partition(".")[0] not in SIMPLE:
            continue
        try:
            data = pickle.dumps(value) if sys.getsizeof(value) <= room else b""
        except Exception:
            continue
        if 0 < len(data) <= room and b"__main__" not in data:
            found[name], room = data, room - len(data)
    return found


def tree_of(filename):
    try:
        with open(filename, encoding="utf-8", errors="surrogatepass") as file:
            return compile(file.read(), filename, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (OSError, SyntaxError):
        return ast.Module([], [])


def is_async(tree):
    """Whether it has an await outside of its functions."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)
    return False


def write(path, text):
    if path not in written or not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        written.add(path)


def patch_pool(module):
    """A pool waits for ever for what a dead process was to do: here its results fail, as those of concurrent.futures do."""
    kind, pools = module.Pool, weakref.WeakValueDictionary()
    plain_start, plain_join = kind._repopulate_pool, kind._join_exited_workers

    def _repopulate_pool(self):
        pools[id(self._pool)] = self
        return plain_start(self)

    def _join_exited_workers(processes):
        before = list(processes)
        cleaned = plain_join(processes)
        # Only those that it took out now. Asked before, a process that is ending may not have a status yet, and then it has.
        ended = [process.exitcode for process in before if process not in processes]
        pool = pools.get(id(processes))
        if pool is not None:
            lost = [status for status in ended if status or not pool._maxtasksperchild]
            if lost and pool._state != module.TERMINATE:
                fail_all(pool._cache, DIED % lost[0])
        return cleaned
    kind._repopulate_pool = patching.like(plain_start, _repopulate_pool)
    kind._join_exited_workers = staticmethod(patching.like(plain_join, _join_exited_workers))


class Next:
    """The index of whatever result comes next: equal to all."""

    def __eq__(self, other):
        return True

    __hash__ = None


class Forgotten(dict):
    """What a failed result has in place of its pool's cache: no other thread breaks for taking it out once more."""

    def __delitem__(self, key):
        self.pop(key, None)


def fail_all(cache, message):
    """The pool's other threads go on meanwhile, and may be giving these results what is theirs."""
    for job, result in list(cache.items()):
        result._cache = Forgotten()
        if hasattr(result, "_number_left"):
            result._number_left = 1  # of the pieces of a map: the failure is the last
        result._set(Next(), (False, RuntimeError(message)))
        if hasattr(result, "_length"):
            result._length = result._index  # what iterates ends with the failure
        try:
            del cache[job]  # or join() would wait for the rest of it
        except KeyError:
            pass
