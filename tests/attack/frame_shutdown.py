"""Shuts both directions of the channel down, then tries to call and prints on."""
# expect: status=success,error
import os
import socket

channel = socket.socket(fileno=os.dup(3))
channel.shutdown(socket.SHUT_RDWR)
try:
    runtime.call_tool_sync("none", "none", {})
    print("WON")
except (RuntimeError, OSError) as e:
    print("HELD", e)
