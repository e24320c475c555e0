"""PID 1, from the command line: reads the bundle from stdin and becomes it. bundle.py strips this text; under 500 bytes remain."""
import os, zlib, _signal

# nobody has sent anything, and nobody closes: the way to the host may be cut. PID 1 dies of no signal by itself
_signal.signal(14, lambda *_: os._exit(1))
_signal.alarm(60)


def read(size):
    data = b""
    while len(data) < size:
        data += os.read(0, size - len(data)) or os._exit(1)
    return data


def part():
    return read(int(read(10)))


text = zlib.decompress(part())
exec(text)
from _cordon import start
start.main(part(), part(), text)
