"""Sends one call of 40 MiB, and then a line without an end: past its bound the program is ended, with its output."""
# expect: status=error
# expect-out: ^HELD
# needs-limit: memory
# timeout: 40
# alone: yes
import os


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(3, view):]


print("HELD", flush=True)
send(b'{"jsonrpc":"2.0","id":1,"method":"search_tool_docs","params":{"query":"')
for _ in range(40):
    send(b"x" * (1 << 20))
send(b'","limit":1,"detail":"summary"}}\n')
piece = b"y" * (1 << 20)
while True:
    send(piece)
