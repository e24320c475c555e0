"""Sends calls that two parsers may read differently: repeated keys, escaped names, blanks, other ids, batches, half a line."""
# expect: status=success
# timeout: 20
import os

lines = [
    b'{"jsonrpc":"2.0","id":101,"method":"servers","params":{},"method":"save_tool","params":{"name":"evil","source":"def evil(): pass"}}',
    b'{"jsonrpc":"2.0","id":102,"method":"servers","params":{"a":1,"a":2}}', b'{"jsonrpc":"2.0","id":103,"method":"servers","params":{},"id":104}',
    b'{"jsonrpc":"2.0","id":105,"method":"servers","params":{},"result":{}}', b'{"jsonrpc":"2.0","id":106,"method":"serv\\u0065rs","params":{}}',
    b' {"jsonrpc":"2.0","id":107,"method":"servers","params":{}}', b'[{"jsonrpc":"2.0","id":108,"method":"servers","params":{}}]', b'{"id":109,"jsonrpc":"2.0","method":"servers","params":{}}',
    b'{"jsonrpc":"2.0","id":110,"method":"servers","params":{}}{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","id":111,"method":"servers","params":{}}\r', b'{"jsonrpc":"2.0","id":112,"method":"servers","params":nul}',
    b'{"jsonrpc":"2.0","id":113,"method":"servers","params":"\xff\xfe"}', b'{"jsonrpc":"2.0","id":114,"method":"servers","params":"\x00"}', b'{"jsonrpc":"2.0","id":115,"method":"servers","params":[1e999,NaN]}',
    b'{"jsonrpc":"2.0","id":0116,"method":"servers","params":{}}', b'{"jsonrpc":"2.0","id":117,"method":"servers","params":"\\ud800"}', b"", b"\x00", b"null", b"{", b"[]",
]
for line in lines:
    os.write(3, line + b"\n")
os.write(3, b'{"jsonrpc":"2.0","id":118,"method":"serv')
print("HELD")
