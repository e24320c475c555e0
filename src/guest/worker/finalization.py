"""The worker: what Python does when a program ends, done while the result can still be told.

Threads are joined, atexit functions run, the program's own objects are let go so that their `__del__` runs and files that it left open
are written, and C's streams are flushed.
"""
import atexit
import gc
import io
import sys
import threading

from . import libc_calls

WRITERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair)


def finish(namespace):
    for step in (threading._shutdown, atexit._run_exitfuncs, flush_standard, lambda: clear(namespace), gc.collect,
                 flush_files, flush_standard, libc_calls.flush_c_stdio):
        try:
            step()
        except BaseException:
            pass  # each prints its own failures; none keeps the others from running


def flush_standard():
    for stream in {id(stream): stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)}.values():
        try:
            stream.flush()
        except Exception:
            pass  # replaced by the program with something else, or closed


def clear(namespace):
    """In the interpreter's own order: names with one underscore first, then the others, builtins never."""
    for private in (True, False):
        for name in list(namespace):
            if name != "__builtins__" and (name.startswith("_") and not name.startswith("__")) == private:
                namespace[name] = None


# Warnings that arise while things are let go name the place that runs: as at Python's own end, `sys`.
for _function in (finish, clear):
    _function.__code__ = _function.__code__.replace(co_filename="sys")


def flush_files():
    for thing in gc.get_objects():
        if type(thing) in WRITERS and not thing.closed:
            try:
                thing.flush()
            except Exception:
                pass
