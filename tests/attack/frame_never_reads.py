"""Calls without end and never reads an answer: the channel fills up, and nobody but the caller is held up."""
# expect: status=timeout,error
# expect-out: ^began
# timeout: 8
# within: 40
# alone: yes
import os

number = 10_000
while True:
    number += 1
    line = b'{"jsonrpc":"2.0","id":%d,"method":"capability_summary","params":{}}\n' % number
    while line:
        line = line[os.write(3, line):]
    if number == 10_001:
        print("began", flush=True)
