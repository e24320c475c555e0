"""PID 1 and the worker: finds our modules in the bundle, as code where the host had it from a container with this very Python, else
as sources, which are compiled when they are first imported: half of what a start costs.
"""
import _frozen_importlib_external
import builtins
import marshal
import sys
import zlib

ModuleSpec = type(sys.__spec__)
NOT_WANTED = b"-"
OLDEST = (3, 9)
THIS_PYTHON = _frozen_importlib_external.MAGIC_NUMBER + sys.version.encode()


class Bundle:
    """A finder and loader for our modules.

    `sources`: zlib over name, text, name, text, … with NUL between. `codes`: what pack() gave in another container, or nothing, or
    NOT_WANTED.
    """

    def __init__(self, sources, codes):
        self.packed_sources, self.packed_codes = sources, codes  # for a worker that is another process
        self.wanted = codes != NOT_WANTED
        self.codes = unpack(codes) if self.wanted else {}
        words = [] if self.codes else zlib.decompress(sources).decode().split("\0")
        self.sources = dict(zip(words[::2], words[1::2]))
        self.builtins = dict(vars(builtins))  # a copy: what user code does to builtins changes nothing here

    def find_spec(self, name, path=None, target=None):
        if name in self.codes or name in self.sources:
            return ModuleSpec(name, self, origin="<cordon>", is_package="." not in name)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__dict__["__builtins__"] = self.builtins
        exec(self.code(module.__name__), module.__dict__)

    def code(self, name):
        if name in self.codes:
            return marshal.loads(self.codes[name])
        # The name in the angle brackets is how tracebacks.py knows a frame of ours.
        return compile(self.sources[name], "<cordon %s>" % name, "exec", dont_inherit=True)

    def pack(self):
        """All modules as code for this very Python, for the host to keep; nothing where that was sent along, or no container follows."""
        codes = {name: marshal.dumps(self.code(name)) for name in self.sources} if self.wanted else {}
        return zlib.compress(THIS_PYTHON + marshal.dumps(codes), 1) if codes else b""


def unpack(codes):
    """Module name → marshalled code; nothing where another Python made it."""
    data = zlib.decompress(codes) if codes else b""
    return marshal.loads(data[len(THIS_PYTHON):]) if data.startswith(THIS_PYTHON) else {}


def check_version():
    """A Python that is too old for us says so. As PID 1 it makes room for the next on PATH: nothing was read yet but what runs here."""
    if sys.version_info >= OLDEST:
        return
    import os
    if "text" in globals():  # the loader's, of PID 1 alone
        with open("/proc/self/cmdline", "rb") as file:
            loader = file.read().split(b"\0")[-2].decode()
        path, own = os.environ.get("PATH", "").split(":"), os.path.dirname(sys.executable)
        for folder in path[path.index(own) + 1:] if own in path else []:
            place = folder + "/python3"
            if os.path.isfile(place) and os.access(place, os.X_OK):
                program = loader.replace("zlib.decompress(part())", repr(text))  # noqa: F821
                os.execv(place, [place, "-I", "-u", "-B", "-X", "utf8", "-c", program])
    said = "the image's %s is Python %d.%d: %d.%d or newer is needed\n" % ((sys.executable,) + sys.version_info[:2] + OLDEST)
    os.write(2, said.encode())
    os._exit(70)


def install(sources, codes):
    sys.meta_path.insert(0, Bundle(sources, codes))
