"""What a call costs without Cordon, on the same engine: the floors that Cordon's own figures are held against."""
import http.client
import itertools
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time
import urllib.parse

from engine_way import EngineWay

WAITER = "import sys\nfor line in sys.stdin: exec(line)"
LABEL = "io.cordon.bench"


class Recorder(EngineWay):
    """A way to the engine that remembers how Cordon asks for a container, so that the floors have the very same one."""

    def __init__(self, engine_path, folder):
        self.url = "unix://%s/r" % folder
        self.create, self.seen = None, {}
        super().__init__(engine_path, folder + "/r")

    def passes(self, data, near):
        if self.create is None:
            self.seen[near] = self._look(self.seen.get(near, b"") + data)
        return True

    def _look(self, seen):
        found = re.search(rb"POST (\S*/containers/create\S*) HTTP/1.1\r\n(.*?)\r\n\r\n", seen, re.S)
        if not found:
            return seen[-65536:]
        length = int(re.search(rb"(?i)content-length: *(\d+)", found[2])[1])
        if len(seen) - found.end() >= length:
            self.create = found[1].decode(), json.loads(seen[found.end():found.end() + length])
        return seen


def payload(data):
    """What the whole frames in it hold: a print may come as several."""
    found = b""
    while len(data) >= 8 and len(data) >= 8 + struct.unpack(">I", data[4:8])[0]:
        end = 8 + struct.unpack(">I", data[4:8])[0]
        found, data = found + data[8:end], data[end:]
    return found


class Floors:
    """One script's conversation with the engine. Several at once are several of these."""
    numbers = itertools.count(1)

    def __init__(self, engine_path, create):
        self.path = engine_path
        self.target, self.body = create
        self.libpod = "libpod" in self.target
        self.base = self.target.split("/create")[0]
        self.connection = None
        self.made = set()

    def _socket(self):
        end = socket.socket(socket.AF_UNIX)
        end.settimeout(60)
        end.connect(self.path)
        return end

    def request(self, method, target, body=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("engine", timeout=60)
            self.connection.sock = self._socket()
        data = json.dumps(body).encode() if body is not None else None
        self.connection.request(method, target, data, {"Content-Type": "application/json"} if data else {})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.will_close:
            self.connection = None
        if answer.status >= 400:
            raise RuntimeError("%s %s: %s %s" % (method, target, answer.status, text[:300]))
        return text

    def hijack(self, target, body=None):
        """A connection that has become a stream, with what came of it already."""
        stream, data = self._socket(), json.dumps(body).encode() if body is not None else b""
        stream.sendall(("POST %s HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: application/json\r\n"
                        "Content-Length: %d\r\n\r\n" % (target, len(data))).encode() + data)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = stream.recv(4096)
            if not piece:
                raise RuntimeError("no head: %r" % head)
            head += piece
        return stream, head.split(b"\r\n\r\n", 1)[1]

    def create(self):
        name, body, target = "bench-%d-%d" % (os.getpid(), next(self.numbers)), dict(self.body), self.target
        command = [*(body.get("command") or body.get("Cmd"))[:-1], WAITER]
        body.update({"name": name, "command": command, "labels": {LABEL: "1"}} if self.libpod else {"Cmd": command, "Labels": {LABEL: "1"}})
        if not self.libpod:
            target = self.base + "/create?name=" + name
        self.made.add(name)
        self.request("POST", target, body)
        return name

    def attach(self, name):
        return self.hijack("%s/%s/attach?stream=1&stdin=1&stdout=1&stderr=1&detachKeys=" % (self.base, name))[0]

    def remove(self, name):
        for attempt in range(5):
            try:
                self.request("DELETE", "%s/%s?force=true&v=true%s" % (self.base, name, "&timeout=0" if self.libpod else ""))
                break
            except RuntimeError as e:
                if " 404 " in str(e) or " 409 " in str(e):
                    break
                if attempt == 4:
                    raise
                time.sleep(0.1)
        self.made.discard(name)

    def running(self):
        name = self.create()
        stream = self.attach(name)
        self.request("POST", "%s/%s/start" % (self.base, name))
        return name, stream

    @staticmethod
    def print_1(stream):
        stream.sendall(b"print(1)\n")
        got = b""
        while payload(got) != b"1\n":
            piece = stream.recv(4096)
            if not piece:
                raise RuntimeError("the stream ended: %r" % got)
            got += piece

    def rest_steps(self):
        """Seconds to the output, and to the end of the removal."""
        begin = time.perf_counter()
        name, stream = self.running()
        self.print_1(stream)
        shown = time.perf_counter()
        self.remove(name)  # before the stream is closed: podman 4.3 fails to kill a container that is just ending
        stream.close()
        return shown - begin, time.perf_counter() - begin

    def round_trip(self, stream):
        begin = time.perf_counter()
        self.print_1(stream)
        return time.perf_counter() - begin

    def exec(self, name):
        begin = time.perf_counter()
        root = self.base.rsplit("/containers", 1)[0]
        body = {"Cmd": ["python3", "-I", "-c", "print(1)"], "AttachStdout": True, "AttachStderr": True}
        number = json.loads(self.request("POST", "%s/%s/exec" % (self.base, name), body))["Id"]
        stream, got = self.hijack("%s/exec/%s/start" % (root, number), {"Detach": False, "Tty": False})
        while piece := stream.recv(4096):
            got += piece
        stream.close()
        if payload(got) != b"1\n":
            raise RuntimeError("exec gave %r" % got)
        return time.perf_counter() - begin

    def command_line(self):
        """`podman run` with the same flags on the same storage: the options of the service's own command line. None where there is no such service."""
        if not self.libpod:
            return None
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().decode().split("\0")[:-1]
                if not ("unix://" + self.path in words and "system" in words and os.path.basename(words[0]) == "podman"):
                    continue
                environment = dict(pair.split("=", 1) for pair in (entry / "environ").read_bytes().decode().split("\0") if "=" in pair)
                owner, inside = entry.stat().st_uid, []
                if os.readlink(entry / "ns/mnt") != os.readlink("/proc/self/ns/mnt"):
                    inside = ["nsenter", "--mount=%s/ns/mnt" % entry]
                if owner != os.geteuid():
                    inside += ["setpriv", "--reuid=%d" % owner, "--regid=%d" % owner, "--init-groups"]
                return inside + words[:words.index("system")] + self._flags(), environment
            except OSError:
                continue
        return None

    def _flags(self):
        body = self.body
        flags = ["run", "--rm", "-i", "--network", "none", "--read-only", "--read-only-tmpfs=false", "--cap-drop", "all", "--security-opt",
                 "no-new-privileges", "--user", body["user"], "--workdir", body["work_dir"], "--hostname", body["hostname"], "--log-driver", "none",
                 "--label", LABEL + "=1", "--stop-timeout", "1", "--unsetenv-all", "--http-proxy=false", "--image-volume", "ignore", "--systemd", "false",
                 "--sdnotify", "ignore", "--no-healthcheck", "--ipc", "private", "--cgroupns", "private", "--entrypoint", ""]
        for key, value in body["env"].items():
            flags += ["--env", "%s=%s" % (key, value)]
        for mount in body["mounts"]:
            flags += ["--tmpfs", mount["destination"] + ":" + ",".join(o for o in mount["options"])]
        limits = body["resource_limits"]
        flags += ["--memory", str(limits["memory"]["limit"]), "--memory-swap", str(limits["memory"]["swap"]), "--pids-limit", str(limits["pids"]["limit"])]
        for each in body["r_limits"]:
            flags += ["--ulimit", "%s=%d:%d" % (each["type"], each["soft"], each["hard"])]
        return flags + [body["image"], "python3", "-I", "-u", "-B", "-X", "utf8", "-c", "print(1)"]

    @staticmethod
    def podman_run(line):
        begin = time.perf_counter()
        done = subprocess.run(line[0], env=line[1], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        if done.stdout != b"1\n":
            raise RuntimeError("podman run: %s" % done.stderr.decode("utf-8", "replace")[:500])
        return time.perf_counter() - begin

    def container_id(self, name):
        return json.loads(self.request("GET", "%s/%s/json" % (self.base, name)))["Id"]

    def close(self, exec_id=None):
        for name in list(self.made):
            self.remove(name)
        if exec_id:  # podman keeps a monitor for each exec, for five minutes
            for entry in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if (entry / "comm").read_text() == "conmon\n" and exec_id.encode() in (entry / "cmdline").read_bytes():
                        os.kill(int(entry.name), signal.SIGTERM)
                except OSError:
                    continue
