"""The worker: what multiprocessing's spawned children need. They run the program's file anew, in a fresh Python without our modules."""
import os

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

CANNOT = (
    "multiprocessing with spawn or forkserver runs the program's file again in the child, which is not possible "
    "where the program has a top-level await. Put that into a function and call it with asyncio.run(), or use "
    "multiprocessing.get_context('fork')")

impossible = False  # whether the program at hand has a top-level await


def prepare(directory):
    """What is done to multiprocessing.spawn after its import."""
    def patch(spawn):
        plain = spawn.get_preparation_data

        def get_preparation_data(name):
            if impossible:
                raise RuntimeError(CANNOT)
            data = plain(name)
            place = os.path.join(directory, "children")
            try:
                os.makedirs(os.path.join(place, "mcp"), exist_ok=True)
                with open(os.path.join(place, "mcp", "__init__.py"), "w") as file:
                    file.write(STUB)
                data["sys_path"] = [place] + data["sys_path"]
            except (OSError, KeyError):
                pass  # a full disk: only a child that imports `mcp` misses it
            return data
        spawn.get_preparation_data = get_preparation_data
    return patch
