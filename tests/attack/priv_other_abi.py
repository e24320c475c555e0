"""Enters the kernel by other doors, where the same calls have other numbers: int 0x80 and x32."""
# expect: status=success
# arch: x86_64
import ctypes
import mmap
import os
import struct

page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))


def run(code):
    page.seek(0)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()


def in_child(name, code, won):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, struct.pack("=q", run(code)))
        os._exit(0)
    os.close(writer)
    status = os.waitpid(pid, 0)[1]
    data = os.read(reader, 8)
    result = struct.unpack("=q", data)[0] if len(data) == 8 else None
    if result is not None and name.startswith("int80"):
        result = struct.unpack("=i", data[:4])[0]
    print("WON" if result is not None and won(result) else "HELD", name, result, status)


# mov eax, N; mov ebx, A; int 0x80; ret
for number, argument, name in ((310, 0x10000000, "int80 unshare"), (20, 0, "int80 getpid"), (356, 0, "int80 memfd_create"), (26, 16, "int80 ptrace")):
    code = b"\x53\xb8" + struct.pack("=I", number) + b"\xbb" + struct.pack("=I", argument) + b"\x31\xc9\xcd\x80\x5b\xc3"
    in_child(name, code, lambda result: result >= 0)
# mov eax, N | 0x40000000; mov edi, A; syscall; ret
for number, argument, name in ((272, 0x10000000, "x32 unshare"), (39, 0, "x32 getpid"), (319, 0, "x32 memfd_create"), (521, 16, "x32 ptrace")):
    code = b"\xb8" + struct.pack("=I", number | 0x40000000) + b"\xbf" + struct.pack("=I", argument) + b"\x31\xf6\x0f\x05\xc3"
    in_child(name, code, lambda result: result >= 0)
