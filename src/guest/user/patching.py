"""The worker: does something right after a module of someone else's was imported, such as putting a function of ours around its own."""
import importlib.util
import sys


class Loader:
    """The module's own loader, and then our function."""

    def __init__(self, loader, function):
        self._loader, self._function = loader, function

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._function(module)


class AfterImport:
    """A finder that finds nothing itself. `functions` maps module names to what is done after their import."""

    def __init__(self):
        self.functions = {}

    def find_spec(self, name, path=None, target=None):
        function = self.functions.pop(name, None)
        if function is None:
            return None
        spec = importlib.util.find_spec(name)  # ours is out of the way now
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = Loader(spec.loader, function)
        return spec


_finder = AfterImport()


def after_import(name, function):
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    if name in sys.modules:
        function(sys.modules[name])
    else:
        _finder.functions[name] = function


def like(original, wrapper):
    """The wrapper, with the original's names."""
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        if hasattr(original, attribute):  # methods that are written in C have no module
            setattr(wrapper, attribute, getattr(original, attribute))
    wrapper.__wrapped__ = original
    return wrapper
