"""The worker: arguments as JSON. What people pass in calls and json refuses is turned into its plain form here."""
import json
import os

from .wire import whole


def plain(value):
    """For objects that JSON does not know."""
    for name in ("isoformat", "tolist", "item", "model_dump"):
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type):
            return method()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("bytes cannot be sent as JSON; decode them, or use base64.b64encode(data).decode()")
    raise TypeError("%s cannot be sent as JSON" % type(value).__name__)


# Made now, with json's own functions: what user code later does to the json module changes nothing here.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain).encode


def to_json(value):
    """Compact JSON in UTF-8. TypeError or ValueError with a message for a person."""
    try:
        text = _encode(value)
    except RecursionError:
        raise ValueError("the arguments are nested too deeply") from None
    return whole(text).encode("utf-8")
