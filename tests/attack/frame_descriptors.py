"""Sends descriptors over the channel for calls, thousands of them: PID 1 must not come to hold them."""
# expect: status=success
# timeout: 30
import array
import os
import socket

channel = socket.socket(fileno=os.dup(3))
fds = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * 200)
sent = 0
try:
    for _ in range(500):
        channel.sendmsg([b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        sent += len(fds)
except OSError as e:
    print("HELD", e)
print(runtime.capability_summary()[:0] + "HELD", sent)
