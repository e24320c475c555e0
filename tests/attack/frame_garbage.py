"""Sends half a million lines of garbage, progress without end, and closes the channel in the midst of a line."""
# expect: status=success
# timeout: 60
import os


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(3, view):]


send(b"garbage\n" * 500_000)
send(b'{"jsonrpc":"2.0","method":"progress","params":{"done":1,"total":2,"message":"x"}}\n' * 20_000)
send(b'{"jsonrpc":"2.0","method":"progress","params":[[[[')
print("HELD", flush=True)
os.close(3)
