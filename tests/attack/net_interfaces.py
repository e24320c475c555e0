"""Renames, addresses and brings up interfaces by ioctl, and looks for a tunnel device."""
# expect: status=success
import errno
import fcntl
import os
import socket
import struct

names = [name for _, name in socket.if_nameindex()]
print("HELD" if names[:1] == ["lo"] and not set(names) & {"eth0", "tap0", "ens3"} else "WON", names)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
address = struct.pack("=16sHH4s8x", b"lo", socket.AF_INET, 0, b"\x0a\0\0\1")
for name, request, argument in (("flags", 0x8914, struct.pack("=16sh14x", b"lo", 0)), ("address", 0x8916, address), ("name", 0x8923, struct.pack("=16s16s", b"lo", b"x")),
                                ("route", 0x890B, b"\0" * 120)):
    try:
        fcntl.ioctl(s, request, argument)
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno == errno.EPERM else "WRONG", name, e)
for path in ("/dev/net/tun", "/dev/vhost-net", "/dev/vsock", "/dev/vhost-vsock"):
    try:
        os.open(path, os.O_RDWR)
        print("WON", path)
    except OSError as e:
        print("HELD" if e.errno in (errno.ENOENT, errno.EACCES, errno.EPERM) else "WRONG", e)
