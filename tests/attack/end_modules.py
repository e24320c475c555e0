"""Replaces what the interpreter stands on: modules, builtins, streams, the import system, os itself."""
# expect: status=success,error,timeout
# expect-out: ^HELD
# timeout: 10
import builtins
import os
import sys
import threading

os.write(1, b"HELD\n")
os._exit = lambda code: None
os.write = lambda fd, data: len(data)
os.read = lambda fd, size: b""
threading._shutdown = lambda: None
for name in list(sys.modules):
    if name.startswith("_cordon") or name in ("json", "io", "asyncio", "traceback"):
        sys.modules[name] = None
sys.meta_path.clear()
sys.stdout = sys.stderr = sys.__stdout__ = None
for name in ("print", "open", "len", "isinstance", "list", "str", "getattr", "BaseException"):
    setattr(builtins, name, None)
