"""The worker: `display()`, the last value when it is a picture, and matplotlib's figures."""
import base64
import io
import sys
import weakref

from . import context, patching
from .content import decoded
from .results import Media

MAX_PICTURE = 16 << 20
MAGIC = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
SVG = "image/svg+xml"
sent = weakref.WeakKeyDictionary()  # figure → the hash of its picture as it was last sent
last_shown = None                   # the figure that `savefig` means after `show`


def display(*things):
    """Shows things in the result: pictures as pictures, everything else as text."""
    for thing in things:
        if is_broken(thing):
            continue
        if is_figure(thing):
            if has_nothing(thing):
                print(thing)
            else:
                send_figure(thing)
            continue
        picture = picture_of(thing)
        if picture is None and isinstance(thing, (bytes, bytearray)):
            kind = kind_of(thing)
            picture = kind and (kind, bytes(thing))
        if picture is None:
            print(thing.text if isinstance(thing, Media) and thing.text is not None else thing)
        else:
            send(*picture)


def kind_of(data):
    """A picture's type by its first bytes, or None."""
    return next((kind for magic, kind in MAGIC.items() if data.startswith(magic)), None)


def is_broken(thing):
    """Whether it is a server's picture that cannot be decoded: then the result says so, and why."""
    broken = isinstance(thing, Media) and thing.fault is not None
    if broken:
        context.current.note("%s left out: %s" % (thing.kind, thing.fault))
    return broken


def value_text(value, show):
    """The text of a last expression's value; None where it was a picture and is shown as one."""
    try:
        if is_figure(value) and not is_open_figure(value) and not has_nothing(value):
            send_figure(value)
            return None
        picture = None if is_figure(value) or is_broken(value) else picture_of(value)
    except Exception:
        picture = None
    if picture is None:
        return show(value)
    send(*picture)
    return None


def send(kind, data):
    if len(data) > MAX_PICTURE:
        context.current.note("a picture of %d bytes was left out; at most %d are taken" % (len(data), MAX_PICTURE))
        return
    if kind == SVG:
        body = {"mime_type": kind, "text": data.decode("utf-8", "replace")}
    else:
        body = {"mime_type": kind, "data": base64.b64encode(data).decode("ascii")}
    context.current.channel.notify("display", body)


def picture_of(thing):
    """(MIME type, bytes) of a thing that is a picture, by the ways that notebooks know; else None."""
    if isinstance(thing, Media):
        if thing.data is not None and (thing.kind == "image" or str(thing.mime_type).startswith("image/")):
            return thing.mime_type or kind_of(thing.data) or "image", thing.data
        return (SVG, thing.text.encode("utf-8", "replace")) if thing.mime_type == SVG and thing.text else None
    kind = type(thing)
    if kind.__module__.startswith("PIL.") and hasattr(kind, "save"):
        return pil_bytes(thing)
    for method, mime in (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"), ("_repr_svg_", SVG)):
        # On the type: objects that answer to every name are no pictures.
        if hasattr(kind, method) and not isinstance(thing, type):
            data = getattr(thing, method)()
            data = data[0] if isinstance(data, tuple) else data
            if isinstance(data, str):
                data = data.encode("utf-8", "replace") if mime == SVG else from_text(data, kind, method)
            if data:
                return mime, bytes(data)
    return None


def from_text(data, kind, method):
    """The bytes of a picture that an object gives as base64; b"", and a note, where it is none."""
    try:
        return decoded(data)[0]
    except ValueError as failure:
        context.current.note("image left out: what %s.%s() gave cannot be decoded: %s" % (kind.__qualname__, method, failure))
        return b""


def pil_bytes(image):
    file = io.BytesIO()
    if getattr(image, "format", None) == "JPEG":
        image.save(file, "JPEG")
        return "image/jpeg", file.getvalue()
    (image if image.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16") else image.convert("RGB")).save(file, "PNG")
    return "image/png", file.getvalue()


def is_figure(thing):
    kind = type(thing)
    return kind.__module__.startswith("matplotlib.") and hasattr(kind, "savefig")


def has_nothing(figure):
    """Whether only its background would be seen."""
    try:
        return len(figure.get_children()) <= 1
    except Exception:
        return False


def send_figure(figure):
    """Once for each state of it, however often it is shown."""
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    data = file.getvalue()
    if sent.get(figure) != hash(data):
        sent[figure] = hash(data)
        send("image/png", data)


def open_figures():
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return [manager.canvas.figure for manager in helpers.Gcf.get_all_fig_managers()] if helpers else []


def is_open_figure(thing):
    return any(figure is thing for figure in open_figures())


def show_figures(*arguments, **named):
    """Shows matplotlib's open figures and closes them; also what `plt.show()` does."""
    global last_shown
    try:
        figures = open_figures()
    except Exception:
        return
    for figure in figures:
        if has_nothing(figure):
            continue
        last_shown = figure
        try:
            send_figure(figure)
        except Exception as failure:
            context.current.note("a figure could not be drawn: %s: %s" % (type(failure).__name__, failure))
    if figures:
        sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_all()


def prepare_pyplot(pyplot):
    """After its import: there is no window, so `show` means the result; and `savefig` right behind it means what was shown."""
    pyplot.show = show_figures
    plain = pyplot.savefig

    def savefig(*arguments, **named):
        if last_shown is not None and not open_figures():
            return last_shown.savefig(*arguments, **named)
        return plain(*arguments, **named)
    pyplot.savefig = patching.like(plain, savefig)
