"""Closes every descriptor, and puts others in their places."""
# expect: status=success,error
# expect-out: ^HELD
import os

os.write(1, b"HELD\n")
os.closerange(0, 1024)
for _ in range(8):
    os.open("/dev/zero", os.O_RDONLY)
