"""Leaves links, fifos, sockets and directories of them among the artifacts: none is followed, none is waited for."""
# expect: status=success
# expect-not-out: root:x:0|file artifacts/(passwd|environ|fifo|socket|up|rootdir)
# within: 15
import os
import socket

os.makedirs("artifacts/sub", exist_ok=True)
os.symlink("/etc/passwd", "artifacts/passwd")
os.symlink("/proc/1/environ", "artifacts/environ")
os.symlink("/", "artifacts/rootdir")
os.symlink("../..", "artifacts/sub/up")
os.symlink("loop", "artifacts/loop")
os.mkfifo("artifacts/fifo")
s = socket.socket(socket.AF_UNIX)
s.bind("artifacts/socket")
open("artifacts/plain", "w").write("plain")
print("HELD")
