"""The worker: the value of a last expression as text, whatever its repr does."""


def bounded(text, head, tail):
    """The text's beginning and end where it is longer than both together, and between them how much was left out."""
    if len(text) <= head + tail:
        return text
    return "%s\n… %d characters left out …\n%s" % (text[:head], len(text) - head - tail, text[len(text) - tail:] if tail else "")


def show(value, head, tail):
    try:
        text = repr(value)
    except BaseException as failure:
        text = "<%s object whose repr raised %s>" % (type(value).__name__, type(failure).__name__)
    return bounded(text, head, tail)
