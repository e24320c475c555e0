"""Another host, as far as one machine can hold it: an engine with its own network, processes, mounts and host name, whose storage no
process outside can see, behind TLS with client certificates and a slow way (relay.py).

All of it hangs on two processes that end with us, whatever ends us; namespaces, mounts and addresses end with these."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cordon_client import LIMIT, ROOT, Engine, until
from registry import make_certificate
from relay import RelayProcess

NEAR, FAR, UNKNOWN = "10.213.77.1", "10.213.77.2", "10.213.77.3"  # the last is one of FAR's that its certificate does not have
ADDRESSES = {"near": [NEAR], "far": [FAR, UNKNOWN]}
MAC, NOBODY = {"near": "02:00:00:00:00:01", "far": "02:00:00:00:00:02"}, "02:00:00:00:00:03"
PORT, BEHIND = 2376, 2377
HIDDEN = ROOT / "build" / "engine"
UNTIL_WE_END = ["setpriv", "--pdeathsig", "KILL"]


def sh(*command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(map(str, command)), done.stdout))
    return done.stdout


def child_of(pid):
    return until(lambda: pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split(), limit=LIMIT)[0]


class FarHost:
    """`flags`: of scripts/engine. podman gets its TLS from socat; dockerd has its own."""

    def __init__(self, *flags, delay_ms=50):
        self.flags, self.docker = flags, "--docker" in flags
        self.processes, self.pid, self.relay = [], None, None
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-far-")
        try:
            self._start(delay_ms)
        except BaseException:
            self.close()
            raise

    def _start(self, delay_ms):
        make_certificate(self.folder.name, "IP:" + FAR)
        sh("bash", "-c", '. scripts/lib.sh; image_tar python "$(debian_release)"', cwd=ROOT)  # there is no network in there
        HIDDEN.mkdir(parents=True, exist_ok=True)
        self._make_namespaces()
        tls = "--host tcp://127.0.0.1:%d --tlsverify --tlscacert %s --tlscert %s --tlskey %s" % (BEHIND, *self.tls_files())
        self.environment = {**os.environ, "CORDON_ENGINE_PULL": "0", "XDG_RUNTIME_DIR": self.hidden_run, "CORDON_ENGINE_DOCKERD": tls,
                            "CORDON_ENGINE_SEES": self.folder.name}
        said = self.engine_script("start", "--suite", sh("bash", "-c", ". scripts/lib.sh; debian_release", cwd=ROOT).strip())
        self.settings = dict(re.findall(r"^(MCP_\w+)=(.*)$", said, re.M))
        path = self.settings.pop("MCP_BRIDGE_RUNTIME_SOCKET")[len("unix://"):]
        self.engine = Engine("unix:///proc/%s/root%s" % (self.pid, path))
        if not self.docker:
            listen = "OPENSSL-LISTEN:%d,bind=127.0.0.1,fork,reuseaddr,backlog=128,verify=1,cafile=%s,cert=%s,key=%s" % (
                BEHIND, *self.tls_files())
            self._begin(["socat", listen, "UNIX-CONNECT:" + path])
        self.relay = RelayProcess("0.0.0.0", PORT, BEHIND, delay_ms, wrapper=[*UNTIL_WE_END, *self.enter("far")])

    def _make_namespaces(self):
        self.hidden_run = self.folder.name + "/run"  # for a checkout whose own path is too long for sockets
        os.mkdir(self.hidden_run)
        script = 'hostname far; for each; do mount -t tmpfs tmpfs "$each"; done; exec catatonit -P'
        outer = self._outside(["unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc", "--propagation",
                               "private", "bash", "-ec", script, "far", str(HIDDEN), self.hidden_run])
        self.pid = child_of(outer.pid)
        self.near = str(self._outside(["unshare", "--net", "sleep", "infinity"]).pid)
        ours = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink("/proc/%s/ns/net" % self.near) != ours, limit=LIMIT)
        until(lambda: pathlib.Path("/proc", self.pid, "comm").read_text() == "catatonit\n", limit=LIMIT)
        self._lay_cable()

    def _lay_cable(self):
        self.inside("near", "ip", "link", "add", "cable", "address", MAC["near"], "type", "veth",
                    "peer", "name", "cable", "address", MAC["far"], "netns", self.pid)
        for where, addresses in ADDRESSES.items():
            for device in ("lo", "cable"):
                self.inside(where, "ip", "link", "set", device, "up")
            for each in addresses:
                self.inside(where, "ip", "address", "add", each + "/29", "dev", "cable")
        self.link("whole")

    def _outside(self, command):
        self.processes.append(subprocess.Popen([*UNTIL_WE_END, *command], stdin=subprocess.DEVNULL))
        return self.processes[-1]

    def _begin(self, command):
        """A program that runs on the far host until it ends."""
        self.processes.append(subprocess.Popen([*UNTIL_WE_END, *self.enter("far"), *command],
                                               stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def enter(self, where):
        return ["nsenter", "-t", self.pid, "-a"] if where == "far" else ["nsenter", "-t", self.near, "--net"]

    def inside(self, where, *command, **more):
        return sh(*self.enter(where), *command, timeout=LIMIT * 5, **more)

    def engine_script(self, command, *more):
        return self.inside("far", ROOT / "scripts" / "engine", command, *self.flags, *more, env=self.environment)

    def link(self, state):
        """`cut`: all packets vanish, both ways, and nobody is told, as where a router lost its power. `whole`: as at the start."""
        for where, other in (("near", "far"), ("far", "near")):
            for address in ADDRESSES[other]:
                self.inside(where, "ip", "neighbour", "replace", address, "lladdr", MAC[other] if state == "whole" else NOBODY,
                            "dev", "cable", "nud", "permanent")

    def tell(self, command):
        return self.relay.tell(command)

    def restart(self, *how):
        """The engine's service alone; `--crash` kills it."""
        self.engine_script("restart", *how)

    def reset(self):
        """All connections are reset, and new ones, too."""
        self.tell("cut")

    alone = []  # flags with which a call has no company on its way: new connections can be held up here

    def hold(self):
        """New connections carry nothing until mend()."""
        self.tell("known")

    def mend(self):
        self.tell("open")
        self.link("whole")

    def tls_files(self):
        return [self.folder.name + name for name in ("/ca.pem", "/cert.pem", "/key.pem")]

    def tls(self, files=None):
        return [word for pair in zip(("--runtime-tls-ca", "--runtime-tls-cert", "--runtime-tls-key"), files or self.tls_files()) for word in pair]

    def url(self, address=FAR):
        return "https://%s:%d" % (address, PORT)

    def reach(self):
        """Flags with which a Cordon finds the engine."""
        return ["--runtime-socket", self.url(), *self.tls()]

    def close(self):
        if self.pid and getattr(self, "settings", None):
            try:
                self.engine_script("stop")
            except (RuntimeError, subprocess.TimeoutExpired) as failure:
                print(failure, file=sys.stderr)
        if self.relay:
            self.relay.close()
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder.name, ignore_errors=True)
        self.folder.cleanup()
