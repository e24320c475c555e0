"""The worker: the stack as the user's own, wherever Python's modules show it: traceback, logging, inspect, asyncio, and what C prints of
exceptions in threads and in `__del__`.
"""
import sys
import traceback

from . import patching, tracebacks
from .tracebacks import OURS

OUTERMOST = tuple("<cordon _cordon.%s>" % name for name in ("program", "interpreter", "worker"))  # what called these is ours too


def users(frame):
    """The frames from this one outwards that are the user's."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(OURS):
            if name in OUTERMOST:
                return
        else:
            yield frame
        frame = frame.f_back


def walk_stack(f):
    """Walk a stack yielding the frame and line number for each frame, from the given frame outwards, else from the caller's."""
    found = users(sys._getframe(1) if f is None else f)
    return ((frame, frame.f_lineno) for frame in found)


def install():
    """Before user code runs."""
    traceback.walk_stack = patching.like(traceback.walk_stack, walk_stack)
    keep_out_of_summaries()
    sys.unraisablehook = patching.like(sys.unraisablehook, without_ours(sys.unraisablehook, "exc_value", "exc_traceback"))
    patching.after_import("threading", patch_threading)
    patching.after_import("inspect", patch_inspect)


def keep_out_of_summaries():
    """A StackSummary is what every module prints from; a traceback that is not the program's last one passes through here."""
    name = "_extract_from_extended_frame_gen" if hasattr(traceback.StackSummary, "_extract_from_extended_frame_gen") else "extract"
    plain = getattr(traceback.StackSummary, name).__func__

    def extract(klass, frame_gen, **options):
        return plain(klass, (pair for pair in frame_gen if not pair[0].f_code.co_filename.startswith(OURS)), **options)
    setattr(traceback.StackSummary, name, classmethod(patching.like(plain, extract)))


def without_ours(plain, value, trace):
    """A hook that C calls with one argument, whose traceback is then printed by C."""
    def hook(unraisable):
        failure = getattr(unraisable, value, None)
        kept = tracebacks.strip(getattr(unraisable, trace))
        if failure is not None:
            tracebacks.without_our_frames(failure)
        return plain(type(unraisable)([kept if item is getattr(unraisable, trace) else item for item in unraisable]))
    return hook


def patch_threading(threading):
    threading.excepthook = patching.like(threading.excepthook, without_ours(threading.excepthook, "exc_value", "exc_traceback"))


def patch_inspect(inspect):
    plain = inspect.getouterframes

    def getouterframes(frame, context=1):
        kept = {id(each) for each in users(frame)}
        return [info for info in plain(frame, context) if id(info[0]) in kept]
    inspect.getouterframes = patching.like(plain, getouterframes)
