"""The worker: whether a saved function's file only defines when it is imported, or would also do something.

A file that another run saved is imported by this one, which has its own data and servers. So an import runs only what is on the
short list below: imports, plain constants, functions and classes without decorators. Of anything else `first_work` gives the line.
"""
import ast
import builtins

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitOr, ast.BitAnd, ast.BitXor)


def first_work(source):
    """The number of the first line whose import would do more than define; None where there is none. SyntaxError as compile()."""
    tree = compile(source, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    try:
        names = Names(tree)
        return work_in_all(tree.body, names)
    except RecursionError:
        return 1  # nested so deep that we do not look


class Names:
    """What stands behind a name: a module's object (`imported`), Python's own, or what this file made itself."""

    def __init__(self, tree):
        imports, own = set(), set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imports |= {(item.asname or item.name).partition(".")[0] for item in node.names}
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                own.add(node.name)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                own.add(node.id)
        self.imports, self.own = imports - own, own

    def imported(self, node):
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.imports

    def builtin(self, node):
        """One of Python's own classes."""
        return (isinstance(node, ast.Name) and node.id not in self.imports and node.id not in self.own
                and isinstance(getattr(builtins, node.id, None), type))


def work_in(node, names):
    """The line at which a statement does more than define, or None."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)):
        return None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None if defines_function(node, names) else node.lineno
    if isinstance(node, ast.ClassDef):
        if node.decorator_list or node.keywords or not all(map(names.builtin, node.bases)):
            return node.lineno
        return work_in_all(node.body, names)
    if isinstance(node, ast.If) and is_constant(node.test, names):
        return work_in_all(node.body + node.orelse, names)
    if isinstance(node, ast.Try) and all(each.type is None or is_constant(each.type, names) for each in node.handlers):
        handlers = [each for handler in node.handlers for each in handler.body]
        return work_in_all(node.body + handlers + node.orelse + node.finalbody, names)
    if isinstance(node, ast.Expr):
        return None if isinstance(node.value, ast.Constant) else node.lineno  # a docstring
    return None if sets_constant(node, names) else node.lineno


def work_in_all(nodes, names):
    return next((line for line in (work_in(node, names) for node in nodes) if line), None)


def sets_constant(node, names):
    if isinstance(node, ast.Assign):
        return all(map(is_target, node.targets)) and is_constant(node.value, names)
    if isinstance(node, ast.AnnAssign):
        return is_target(node.target) and is_annotation(node.annotation, names) and (node.value is None or is_constant(node.value, names))
    return False


def is_target(node):
    return isinstance(node, ast.Name) or isinstance(node, ast.Tuple) and all(isinstance(part, ast.Name) for part in node.elts)


def defines_function(node, names):
    """No decorator, and neither defaults nor annotations that have to be worked out."""
    takes = node.args
    every = takes.posonlyargs + takes.args + takes.kwonlyargs + [each for each in (takes.vararg, takes.kwarg) if each]
    annotations = [each.annotation for each in every] + [node.returns]
    return (not node.decorator_list and not getattr(node, "type_params", None) and has_constant_defaults(takes, names)
            and all(each is None or is_annotation(each, names) for each in annotations))


def has_constant_defaults(takes, names):
    return all(each is None or is_constant(each, names) for each in takes.defaults + takes.kw_defaults)


def is_constant(node, names):
    """What is read rather than worked out. A bare name may be anything: nothing is done with it."""
    if isinstance(node, (ast.Constant, ast.Name)):
        return True
    if isinstance(node, ast.Attribute):
        return names.imported(node)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_constant(each, names) for each in node.elts)
    if isinstance(node, ast.Set):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(each is not None and is_literal(each) for each in node.keys) and all(is_constant(each, names) for each in node.values)
    if isinstance(node, ast.Lambda):
        return has_constant_defaults(node.args, names)
    return is_literal(node)


def is_literal(node):
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Tuple):
        return all(map(is_literal, node.elts))
    return is_number(node)


def is_number(node):
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex))
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        shift = isinstance(node.op, ast.LShift) and isinstance(node.right, ast.Constant) and isinstance(node.right.value, int) and node.right.value <= 64
        return (shift or isinstance(node.op, ARITHMETIC)) and is_number(node.left) and is_number(node.right)
    return False


def is_annotation(node, names):
    """`int`, `list[str] | None`, `typing.Optional[int]`, by names that the file imports or Python has."""
    if isinstance(node, (ast.Constant, ast.Name)):
        return True
    if isinstance(node, ast.Attribute):
        return names.imported(node)
    if isinstance(node, ast.Subscript):
        return (names.imported(node.value) or names.builtin(node.value)) and is_annotation(node.slice, names)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and is_annotation(node.left, names) and is_annotation(node.right, names)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_annotation(each, names) for each in node.elts)
    return False
