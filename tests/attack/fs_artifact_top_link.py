"""Replaces the folder of artifacts itself by a link to the image's files."""
# expect: status=success
# expect-not-out: root:x:0|file artifacts/passwd
# within: 15
import os
import shutil

shutil.rmtree("/workspace/artifacts", ignore_errors=True)
os.symlink("/etc", "/workspace/artifacts")
print("HELD")
