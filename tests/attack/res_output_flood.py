"""Prints on both streams at once without end."""
# expect: status=timeout
# expect-out: ^y$
# timeout: 5
# within: 25
# alone: yes
import os
import threading


def flood(fd):
    piece = b"y\n" * 32768
    while True:
        os.write(fd, piece)


threading.Thread(target=flood, args=(2,), daemon=True).start()
flood(1)
