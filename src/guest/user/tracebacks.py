"""The worker: tracebacks as the user's own, without a frame of ours."""
import errno
import sys
import traceback
import warnings

OURS = "<cordon "
PROGRAM = "<cordon _cordon.program>"  # whose frames call the user's
sources = set()  # names of the files that hold the user's own code


ENDS_FOR_SPLITLINES = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # which Python's own tokenizer takes for none


def lines_of(source):
    """Its lines with their ends, as Python counts them."""
    if any(end in source for end in ENDS_FOR_SPLITLINES):
        return [line + "\n" for line in source.split("\n")]
    return (source + "\n").splitlines(True)  # the same, in C


def without_our_frames(failure):
    """Takes our frames out of the exception's traceback and out of those of its causes. Returns the exception."""
    seen, todo = set(), [failure]
    while todo:
        item = todo.pop()
        if item is None or id(item) in seen:
            continue
        seen.add(id(item))
        item.__traceback__ = strip(item.__traceback__)
        todo += [item.__cause__, item.__context__, *getattr(item, "exceptions", ())]
    return failure


def strip(trace):
    """The user's part of it: what lies between our call of the program and the program's call of ours."""
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    files = [entry.tb_frame.f_code.co_filename for entry in entries]
    begin = max([index + 1 for index, file in enumerate(files) if file == PROGRAM], default=0)
    last_of_user = max([index for index, file in enumerate(files) if file in sources], default=-1)
    ours_then = [index for index, file in enumerate(files) if file.startswith(OURS) and index > max(last_of_user, begin - 1)]
    # Behind our last frame lie only modules that we use; without a line of the user's everything else stays.
    end = ours_then[0] if ours_then else len(entries)
    kept = [entry for entry, file in zip(entries[begin:end], files[begin:end]) if not file.startswith(OURS)]
    for first, second in zip(kept, kept[1:] + [None]):
        first.tb_next = second
    return kept[0] if kept else None


def show(failure, stream):
    """Prints it as Python would, or by the program's own sys.excepthook."""
    without_our_frames(failure)
    hook = sys.excepthook
    if hook is not sys.__excepthook__ and callable(hook):
        try:
            hook(type(failure), failure, failure.__traceback__)
            return
        except Exception:
            pass  # as Python does: then the usual way
    try:
        text = "".join(traceback.TracebackException(type(failure), failure, failure.__traceback__).format())
    except BaseException:  # user code may have broken what formatting needs
        text = one_line(failure) + "\n"
    stream.write(text)


def keep_out_of_warnings():
    """A warning that is raised while our code runs (of a coroutine that nobody awaited) is shown without a place."""
    usual = warnings.formatwarning

    def formatwarning(message, category, filename, lineno, line=None):
        if filename.startswith(OURS):
            return "%s: %s\n" % (category.__name__, message)
        return usual(message, category, filename, lineno, line)
    warnings.formatwarning = formatwarning


def one_line(failure):
    """`ValueError: x`, the first line only."""
    kind = type(failure)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else "%s.%s" % (kind.__module__, kind.__qualname__)
    try:
        message = failure.msg if isinstance(failure, SyntaxError) else str(failure)
        lines = str(message).strip().splitlines()
    except BaseException:
        lines = ["<its text could not be made>"]
    return (name + ": " + lines[0] if lines else name)[:500]


ERRNO_LIMITS = {errno.ENOSPC: "disk", errno.EDQUOT: "disk", errno.EMFILE: "open_files", errno.ENFILE: "open_files",
                errno.EAGAIN: "processes", errno.ENOMEM: "memory"}


def limits_behind(failure):
    """Which limits an exception speaks of."""
    found, seen = set(), set()
    while failure is not None and id(failure) not in seen:
        seen.add(id(failure))
        if isinstance(failure, MemoryError):
            found.add("memory")
        elif isinstance(failure, OSError) and failure.errno in ERRNO_LIMITS:
            found.add(ERRNO_LIMITS[failure.errno])
        elif isinstance(failure, RuntimeError) and str(failure).startswith("can't start new thread"):
            found.add("processes")
        failure = failure.__cause__ or failure.__context__
    return found
