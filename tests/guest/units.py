"""Makes the guest's modules importable on the host, under the names that they have in the bundle."""
import os
import sys

GUEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "guest")
sys.path[:0] = [os.path.join(GUEST, "build"), os.path.join(GUEST, "shared")]
import bundle  # noqa: E402
import importer  # noqa: E402

if not any(isinstance(finder, importer.Bundle) for finder in sys.meta_path):
    importer.install(bundle.sources_part(), b"")
