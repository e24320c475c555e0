"""The worker, seen by user code: JSON objects as dicts that answer attributes too, at every depth of what a call returns."""
from . import patching

SHOWN_KEYS, SHOWN_CHARACTERS = 20, 40
PROBES = ("_repr_", "_ipython_", "_jupyter_")  # what display libraries look for on any object


def hidden(name):
    """Names that Python and display libraries ask for: never a tool, never a key of a result."""
    dunder = len(name) > 4 and name[:2] == name[-2:] == "__" and name[2] != "_"  # `___` may be a tool
    return dunder or name.startswith(PROBES)


class Record(dict):
    """A dict whose keys are attributes as well: `issue.id` is `issue["id"]`. A name that dict has stays the method: `issue["items"]`."""

    __module__ = "mcp.runtime"
    __slots__ = ()

    def __getattr__(self, name):
        # Called only for what dict itself does not have.
        if hidden(name):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError("no %r here; %s" % (name, keys_of(self))) from None

    def __setattr__(self, name, value):
        raise AttributeError("attributes can only be read; to set a key: …[%r] = …" % name)

    # A pickle may be read where nothing of ours exists, as in a child of multiprocessing: a plain dict arrives there.
    def __reduce_ex__(self, protocol):
        return dict, (), None, None, iter(self.items())

    def copy(self):
        """A copy of this dict, with the same values."""
        return Record(self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        from copy import deepcopy
        made = memo[id(self)] = Record()
        for key, value in self.items():
            made[key] = deepcopy(value, memo)
        return made


def keys_of(record):
    """`the keys are 'id', 'title'`, a bounded number of them."""
    keys = ["%r" % key if len(str(key)) <= SHOWN_CHARACTERS else "%.*r…" % (SHOWN_CHARACTERS, key)
            for key in list(record)[:SHOWN_KEYS]]
    more = len(record) - len(keys)
    return "the keys are %s%s" % (", ".join(keys), " and %d more" % more if more > 0 else "") if keys else "it has no keys"


def teach_yaml(representer):
    """PyYAML looks at the exact type."""
    for kind in (representer.SafeRepresenter, representer.Representer):
        kind.add_representer(Record, representer.SafeRepresenter.represent_dict)


def install():
    patching.after_import("yaml.representer", teach_yaml)
