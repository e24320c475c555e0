"""Fills the places that may be written: each stops at its size, and the result names the limit."""
# expect: status=success
# needs-limit: memory
# hits-limit: disk
# timeout: 60
# alone: yes
import errno
import os

for place, most in (("/workspace", 128), ("/tmp", 64)):
    written = 0
    with open(place + "/fill", "wb", buffering=0) as file:
        try:
            while written < 1 << 30:
                written += file.write(b"x" * (1 << 20))
            print("WON", place)
        except OSError as e:
            print("HELD" if e.errno == errno.ENOSPC and written <= most << 20 else "WRONG", place, written, e)
    if place == "/workspace":
        os.unlink(place + "/fill")
