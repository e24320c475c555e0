"""Lets a child take memory without end: the kernel ends the child, and the interpreter goes on to tell."""
# expect: status=success
# needs-limit: memory
# hits-limit: memory
# timeout: 60
# alone: yes
import subprocess
import sys

child = subprocess.run([sys.executable, "-c", "h = []\nwhile True: h.append(b'x' * (16 << 20))"], stderr=subprocess.DEVNULL)
print("HELD" if child.returncode in (-9, 1) else "WON", child.returncode)
