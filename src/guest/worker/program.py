"""The worker: compiles and runs one program in a namespace, as a notebook would its cell."""
import __future__
import ast
import inspect
import linecache
import os
import textwrap

from . import tracebacks

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag


def as_python_reads(source):
    """The same program with line ends of one kind, without a mark of byte order, and not indented as a whole."""
    source = source.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return textwrap.dedent(source) if source.lstrip("\n")[:1] in (" ", "\t") else source


class Program:
    """Compiled code: the statements, and apart from them a last expression, whose value is wanted."""

    def __init__(self, source, filename, inherited_flags=0):
        self.source = source
        self.filename = filename
        flags = TOP_LEVEL_AWAIT | inherited_flags
        tree = compile(self.source, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        self.imports = []
        if "import" in source:
            from .preloaded import imports_in
            self.imports = imports_in(tree)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not self._ends_in_semicolon(tree.body[-1]):
            only_doc = len(tree.body) == 1 and isinstance(tree.body[0].value, ast.Constant)
            last = ast.Expression(tree.body[-1].value)
            if not only_doc:
                tree.body.pop()
        self.body = compile(tree, filename, "exec", flags, dont_inherit=True)
        self.flags = self.body.co_flags & FUTURE_FLAGS | inherited_flags
        self.last = last and compile(last, filename, "eval", flags | self.flags, dont_inherit=True)
        self.is_async = any(code and code.co_flags & inspect.CO_COROUTINE for code in (self.body, self.last))

    def _ends_in_semicolon(self, expression):
        """As in a notebook, `x;` shows nothing."""
        behind = self.source.count("\n") - (expression.end_lineno - 1)  # lines: few, and a program may have megabytes before them
        line = self.source.rsplit("\n", behind + 1)[-behind - 1]
        return line.encode("utf-8", "surrogatepass")[expression.end_col_offset:].strip().startswith(b";")

    def run(self, namespace):
        """Runs it where it has no top-level await; the value of the last expression, or None."""
        exec(self.body, namespace)
        return eval(self.last, namespace) if self.last else None

    async def run_async(self, namespace):
        """Runs it as one coroutine."""
        value = None
        for code in filter(None, (self.body, self.last)):
            value = eval(code, namespace)
            if code.co_flags & inspect.CO_COROUTINE:
                value = await value
        return value if self.last else None


def keep_source(source, filename, directory):
    """Makes the source known to tracebacks and inspect, and puts it in its file for those who read that."""
    tracebacks.sources.add(filename)
    lines = tracebacks.lines_of(source)
    # Without a time, linecache never drops the entry, also when the program deletes the file.
    linecache.cache[filename] = (len(source), None, lines, filename)
    for _ in range(2):
        try:
            return write_file(filename, source.encode("utf-8", "surrogatepass"))
        except FileNotFoundError:  # the program removed the directory
            make_directory(directory)
        except OSError:
            return  # a full disk: only spawned children miss it


def make_directory(directory):
    """Where sources are kept; without one they are in memory only."""
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError:
        pass


def write_file(filename, data):
    fd = os.open(filename, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        while data:
            data = data[os.write(fd, data):]
    finally:
        os.close(fd)
