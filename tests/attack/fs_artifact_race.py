"""Swaps files for links while they are taken, from a process that is left behind."""
# expect: status=success
# expect-not-out: root:x:0
# within: 15
import os
import subprocess
import sys

os.makedirs("artifacts", exist_ok=True)
for n in range(50):
    open("artifacts/f%02d" % n, "w").write("x")
swapper = """
import os
while True:
    for n in range(50):
        path = "artifacts/f%02d" % n
        try:
            os.symlink("/etc/passwd", path + ".l"); os.rename(path + ".l", path)
            open(path + ".f", "w").write("x"); os.rename(path + ".f", path)
        except OSError:
            pass
"""
subprocess.Popen([sys.executable, "-c", swapper])
print("HELD")
