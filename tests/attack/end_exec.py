"""Becomes another program in place of the interpreter, with its descriptors."""
# expect: status=success
# expect-out: ^HELD
import os

os.set_inheritable(3, True)
os.execv("/bin/sh", ["sh", "-c", "echo HELD; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}' >&3; exit 0"])
