"""The worker: matplotlib's list of fonts, if the image has made one. Without it, each container's first plot looks through all fonts."""
import os

IN_THE_IMAGE = "/usr/share/cordon/matplotlib"


def link(matplotlib):
    """Right after matplotlib was imported, which has not yet looked for fonts. It takes the list only if its own version made it."""
    ours = os.environ.get("MPLCONFIGDIR")
    try:
        names = [name for name in os.listdir(IN_THE_IMAGE) if name.startswith("fontlist")]
        os.makedirs(ours, exist_ok=True)
        for name in names:
            os.symlink(os.path.join(IN_THE_IMAGE, name), os.path.join(ours, name))
    except (OSError, TypeError):
        pass  # no such image, or it is there
