"""Takes the interpreter's own objects from memory and turns them against the host: the channel's lock, its counters, its frames."""
# expect: status=success,error,timeout
# expect-out: ^HELD
# expect-not-out: FORGED
# timeout: 6
# within: 25
import gc
import os
import sys

os.write(1, b"HELD\n")
for thing in gc.get_objects():
    if type(thing).__module__.startswith("_cordon"):
        for name in list(getattr(thing, "__dict__", {})):
            try:
                setattr(thing, name, None)
            except Exception:
                pass
frame = sys._getframe()
while frame is not None:
    frame.f_trace = lambda *a: None
    frame.f_globals["FORGED"] = 1
    frame = frame.f_back
