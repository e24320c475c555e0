"""Reads and writes far more than its memory through the page cache, and locks pages."""
# expect: status=success
# needs-limit: memory
# timeout: 60
# alone: yes
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for _ in range(12):  # written and deleted: 1.2 GiB in all
    with open("/workspace/x", "wb") as file:
        for _ in range(100):
            file.write(b"x" * (1 << 20))
    os.unlink("/workspace/x")
read = 0
for top, _, files in os.walk("/usr"):
    for name in files:
        try:
            with open(os.path.join(top, name), "rb") as file:
                read += len(file.read())
        except OSError:
            pass
buffer = ctypes.create_string_buffer(64 << 20)
print("HELD", read >> 20, "MiB read; mlock", libc.mlock(buffer, 64 << 20))
