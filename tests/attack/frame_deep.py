"""Sends calls whose arguments nest a million deep, as they are and through the helpers."""
# expect: status=success
# timeout: 30
import os


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(3, view):]


for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
    for depth in (600, 100_000, 1_000_000):
        inner = b"1" if opening != b"[" else b""
        send(b'{"jsonrpc":"2.0","id":%d,"method":"call_tool","params":' % (1000 + depth) + opening * depth + inner + closing * depth + b"}\n")
        send(b'{"jsonrpc":"2.0","method":"display","params":' + opening * depth + inner + closing * depth + b"}\n")
value = []
for _ in range(100_000):
    value = [value]
try:
    runtime.call_tool_sync("none", "none", {"x": value})
    print("WON")
except (RecursionError, ValueError, RuntimeError) as e:
    print("HELD", type(e).__name__)
while value:
    value = value[0]
