"""Filters of its own in the kernel, on itself and on sockets; urgent data; pages that travel between pipes; calls newer than any list."""
# expect: status=success
import ctypes
import errno
import os
import socket
import struct

libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
allow = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000), 8)
header = ctypes.create_string_buffer(struct.pack("=HxxxxxxQ", 1, ctypes.addressof(allow)), 16)
reader, writer = os.pipe()
other_reader, other_writer = os.pipe()
os.write(writer, b"x")
one, other = socket.socketpair()


def judge(name, *codes, call):
    ctypes.set_errno(0)
    try:
        result = call()
        code = ctypes.get_errno() if result == -1 else 0
    except OSError as failure:
        code = failure.errno
    print("WON" if code == 0 else "HELD" if code in codes else "WRONG", name, errno.errorcode.get(code, code))


for flags in (0, 1, 2, 4, 8):
    judge("seccomp(2) %d" % flags, errno.ENOSYS, call=lambda: libc.syscall(317 if x86 else 277, 1, flags, header))
judge("strict mode", errno.ENOSYS, call=lambda: libc.syscall(317 if x86 else 277, 0, 0, None))
judge("prctl", errno.EINVAL, call=lambda: libc.prctl(22, 2, header, 0, 0))
for family, kind in ((socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_NETLINK, socket.SOCK_RAW)):
    with socket.socket(family, kind) as each:
        for option in (26, 50, 51, 52):
            judge("%s, filter %d" % (family.name, option), errno.EPERM, call=lambda: each.setsockopt(socket.SOL_SOCKET, option, header.raw))
judge("send", errno.EOPNOTSUPP, call=lambda: one.send(b"x", socket.MSG_OOB))
judge("sendmsg", errno.EOPNOTSUPP, call=lambda: one.sendmsg([b"x"], [], socket.MSG_OOB | socket.MSG_DONTWAIT))
judge("splice", errno.EINVAL, call=lambda: libc.splice(reader, None, other_writer, None, 1, 0))
judge("tee", errno.EINVAL, call=lambda: libc.tee(reader, other_writer, 1, 0))
judge("vmsplice", errno.EINVAL, call=lambda: libc.vmsplice(writer, header, 1, 0))
for number in (425, 426, 427):
    judge("io_uring %d" % number, errno.EPERM, call=lambda: libc.syscall(number, 1, header, 0, 0, 0, 0))
for number in (463, 468, 500, 1000, 4095):
    judge("call %d" % number, errno.ENOSYS, call=lambda: libc.syscall(number, 0, 0, 0, 0, 0, 0))
