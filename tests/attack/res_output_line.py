"""Prints one line of 200 MiB, then every byte there is, then a last word."""
# expect: status=success
# timeout: 60
# alone: yes
import os
import sys

piece = b"x" * (1 << 20)
for _ in range(200):
    os.write(1, piece)
sys.stdout.buffer.write(bytes(range(256)) * 1000)
print("\nHELD")
