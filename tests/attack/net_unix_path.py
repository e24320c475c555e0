"""Searches the whole file system for unix sockets: the engine's, the system bus, an agent's."""
# expect: status=success
# timeout: 40
import os
import socket
import stat

found = []
for top, directories, files in os.walk("/"):
    if top == "/":
        directories[:] = [d for d in directories if d not in ("proc", "sys")]
    for name in files:
        path = os.path.join(top, name)
        try:
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                found.append(path)
        except OSError:
            pass
for path in found + ["/var/run/docker.sock", "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/run/containerd/containerd.sock", "/dev/log"]:
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(path)
            print("WON", path)
        except OSError as e:
            print("HELD", path, e)
