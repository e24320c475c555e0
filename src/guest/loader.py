"""PID 1, from the command line: reads the bundle from stdin and becomes it. bundle.py strips this text; under 500 bytes remain."""
import os, zlib


def read(size):
    data = b""
    while len(data) < size:
        data += os.read(0, size - len(data)) or os._exit(1)
    return data


def part():
    return read(int(read(10)))


exec(zlib.decompress(part()))
