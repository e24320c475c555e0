"""The worker: saved tools. A function travels as source, with the imports and definitions that it needs; nothing runs by itself.

Another run may have saved it: its import here runs imports, constants and definitions alone (toplevel.py). What its file does
besides, a decorator or a value that is worked out, is done when the function is first used.
"""
import ast
import builtins
import inspect
import linecache
import sys
import tokenize

from . import context, toplevel, tracebacks

_loaded = {}


def source_of(function):
    """The function's source, made whole: what it names at the top level of its own file comes along."""
    if not inspect.isfunction(inspect.unwrap(function)) or getattr(function, "__name__", "<lambda>") == "<lambda>":
        raise TypeError("save_tool needs a function made with def")
    inner = inspect.unwrap(function)
    if inner.__closure__:
        raise ValueError("%s uses variables of the function around it; only its own source can be saved" % inner.__name__)
    try:
        whole = with_needs(inner)
        compile(whole, "<source>", "exec", dont_inherit=True)
        return whole
    except OSError:
        raise ValueError("the source of %s is not known" % inner.__name__) from None
    except (SyntaxError, ValueError, LookupError, tokenize.TokenError) as failure:
        raise ValueError("the source of %s does not parse, so it is not saved: %s" % (inner.__name__, failure)) from None


def with_needs(function):
    """The definition as it is written, after what it needs. One that is indented stays so: its strings may be of many lines."""
    text = inspect.getsource(function)
    block = "if True:\n" if text[:1].isspace() else ""
    node = ast.parse(block + text).body[0]
    node = node.body[0] if block else node
    node.decorator_list = [item for item in node.decorator_list if not names(item) & {"save_tool"}]
    return "\n".join(needed_by(node, function) + [block + without_lines(block + text, node)]).strip() + "\n"


def without_lines(text, node):
    """The definition as written, less the decorators that were taken out."""
    first = min([item.lineno for item in node.decorator_list] + [node.lineno])
    lines = text.split("\n")
    kept = [line for number, line in enumerate(lines, 1)
            if number >= node.lineno or number >= first and covers(node.decorator_list, number)]
    return "\n".join(kept)


def covers(items, number):
    return any(item.lineno <= number <= item.end_lineno for item in items)


def names(node):
    """Names that are read in a piece of syntax, and the last parts of dotted ones."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} | {
        part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def read_names(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound_names(statement):
    """What a top-level statement defines."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(item.asname or item.name).partition(".")[0] for item in statement.names}
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return set()


def needed_by(node, function):
    """Source of the top-level statements that `node` relies on, directly or through others, in their order."""
    source = "".join(linecache.getlines(inspect.getsourcefile(function) or ""))
    try:
        top = compile(source, "<source>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT).body
    except (SyntaxError, ValueError):
        return []
    wanted, chosen, todo = set(), set(), [node]
    while todo:
        fresh = {name for name in read_names(todo.pop()) if name not in wanted and not hasattr(builtins, name)}
        wanted |= fresh
        for index, statement in enumerate(top):
            if index not in chosen and bound_names(statement) & fresh and node.name not in bound_names(statement):
                chosen.add(index)
                todo.append(statement)
    futures = [index for index, statement in enumerate(top)
               if isinstance(statement, ast.ImportFrom) and statement.module == "__future__"]
    return [ast.get_source_segment(source, top[index]) if not getattr(top[index], "decorator_list", None)
            else ast.unparse(top[index]) for index in sorted(chosen.union(futures))]


def load(name, surface_names):
    """The saved function of this name; AttributeError where there is none."""
    if name in _loaded:
        return _loaded[name]
    if name not in context.current.saved_tools:
        raise AttributeError("no saved tool %r; there are: %s" % (name, ", ".join(context.current.saved_tools) or "none"))
    found = context.current.ask("saved_tools", {"names": [name]})["tools"]
    source = next((tool["source"] for tool in found if tool["name"] == name), None)
    if source is None:
        raise AttributeError("no saved tool %r" % name)
    linecache.cache[filename_of(name)] = (len(source), None, tracebacks.lines_of(source), filename_of(name))
    if toplevel.first_work(source) is None:
        _loaded[name] = define(name, source, surface_names)
    else:
        _loaded[name] = Deferred(name, source, dict(surface_names))
    return _loaded[name]


def filename_of(name):
    return "<saved tool %s>" % name


def define(name, source, surface_names):
    namespace = dict(surface_names, __name__="mcp.tools." + name, __builtins__=sys.modules["builtins"])
    exec(compile(source, filename_of(name), "exec", dont_inherit=True), namespace)
    if name not in namespace:
        raise AttributeError("the saved source of %r does not define it" % name)
    return namespace[name]


class Deferred:
    """A saved function that is made when it is first used: by a call, or by a look at anything but its name and doc string."""
    _made = _how = None

    def __init__(self, name, source, surface_names):
        self._how = name, source, surface_names
        self.__name__ = self.__qualname__ = name
        self.__module__ = "mcp.tools." + name
        self.__doc__ = next((ast.get_docstring(node) for node in ast.walk(ast.parse(source))
                             if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name), None)

    def _function(self):
        if self._how is not None:
            self._made, self._how = define(*self._how), None
        return self._made

    __wrapped__ = property(_function)  # by this, inspect finds signature and source

    def __call__(self, *arguments, **named):
        return self._function()(*arguments, **named)

    def __getattr__(self, attribute):
        return getattr(self._function(), attribute)

    def __repr__(self):
        return "<saved tool %s>" % self.__name__


def forget(name):
    _loaded.pop(name, None)


def forget_all():
    """Before each execution: another run may have replaced what this interpreter loaded."""
    _loaded.clear()
