"""Executes from a noexec place by way of the dynamic loader, of dlopen and of an executable mapping."""
# expect: status=success
import ctypes
import glob
import mmap
import os
import shutil
import subprocess

shutil.copyfile("/bin/true", "/tmp/true")
os.chmod("/tmp/true", 0o755)
for loader in glob.glob("/lib*/ld-linux*") + glob.glob("/lib/*/ld-linux*") + glob.glob("/lib/ld-musl*"):
    done = subprocess.run([loader, "/tmp/true"], capture_output=True, text=True)
    print("WON" if done.returncode == 0 else "HELD", loader, done.stderr.strip()[:100])
library = next(iter(glob.glob("/lib/*/libm.so.6") + glob.glob("/usr/lib/*/libm.so.6") + glob.glob("/lib/libc.musl*")))
shutil.copyfile(library, "/tmp/lib.so")
try:
    ctypes.CDLL("/tmp/lib.so")
    print("WON dlopen")
except OSError as e:
    print("HELD", e)
with open("/tmp/lib.so", "r+b") as file:
    try:
        mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)
        print("WON mmap")
    except PermissionError as e:
        print("HELD", e)
    mapping = mmap.mmap(file.fileno(), 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.mprotect(ctypes.c_void_p(address), 4096, 5)
    print("WON mprotect" if result == 0 else "HELD mprotect " + os.strerror(ctypes.get_errno()))
