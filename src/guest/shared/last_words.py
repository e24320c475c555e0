"""PID 1 and the worker: what is said of a failure that ends the process: one line, whatever it was."""


def last_words(who, failure):
    """The line, as bytes for stderr."""
    said = "%s: %s: %s at %s\n" % (who, type(failure).__name__, failure, places(failure))
    return said.encode("utf-8", "replace")


def places(failure):
    """Where it was raised, as `file:line` from the outermost frame in."""
    found, trace = [], failure.__traceback__
    while trace is not None:
        found.append("%s:%d" % (trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return " ".join(found[-6:])
