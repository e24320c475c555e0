"""PID 1 and the worker: finds our modules in the table of sources that the bundle carries."""
import builtins
import sys

ModuleSpec = type(sys.__spec__)


class Bundle:
    """A finder and loader for the modules of one table {name: source}. They compile when they are first imported."""

    def __init__(self, sources):
        self.sources = sources
        self.builtins = dict(vars(builtins))  # a copy: what user code does to builtins changes nothing here

    def find_spec(self, name, path=None, target=None):
        if name in self.sources:
            return ModuleSpec(name, self, origin="<cordon>", is_package="." not in name)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        # The name in the angle brackets is how tracebacks.py knows a frame of ours.
        code = compile(self.sources[module.__name__], "<cordon %s>" % module.__name__, "exec", dont_inherit=True)
        module.__dict__["__builtins__"] = self.builtins
        exec(code, module.__dict__)


def install(sources):
    sys.meta_path.insert(0, Bundle(sources))
