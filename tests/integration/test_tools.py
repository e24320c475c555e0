"""Files that Docker's and podman's own commands wrote: Cordon reaches the engine that the command itself reaches, and says why none of the others
was taken. The engine is real; how one was reached is told by the socket that was asked. with_engine [--docker|--release trixie] -- python3 test_tools.py"""
import json
import os
import pathlib
import pwd
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from certificates import Authority  # noqa: E402
from cordon_client import CORDON, LIMIT, Engine, until  # noqa: E402
from engine_way import EngineWay  # noqa: E402
from registry import free_port  # noqa: E402

USER = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name  # podman reads a user's own files for users alone
SSHD = """ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/key.pub
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
"""


class Place(EngineWay):
    """Whether it was asked for anything."""

    def __init__(self, engine, path):
        self.engine, self.path, self.asked = engine, path, False
        super().__init__(engine.path, path)
        os.chmod(path, 0o777)

    def passes(self, data, near):
        self.asked = True
        return True


def behind(path):
    """The process that listens at a socket."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        return struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


class Case(unittest.TestCase):
    tool = None

    def setUp(self):
        engine = Engine()
        # below the engine's own folder: one of another release sees that, and so do the commands of that release
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tools-", dir=pathlib.Path(engine.path).parent))
        self.addCleanup(shutil.rmtree, self.folder)
        for folder in self.folder.parents:
            self.open(folder)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.places = {name: Place(engine, self.folder / (name + ".sock")) for name in ("near", "far")}
        self.addCleanup(lambda: [place.close() for place in self.places.values()])
        self.binary = self.folder / "cordon"
        shutil.copy(CORDON, self.binary)
        self.give(self.folder, self.home)

    def open(self, folder):
        """Others may pass through it, until the test is over."""
        mode = stat.S_IMODE(folder.stat().st_mode)
        if not mode & 0o001 and os.getuid() == 0:
            os.chmod(folder, mode | 0o001)
            self.addCleanup(os.chmod, folder, mode)

    def give(self, *paths):
        for path in paths:
            shutil.chown(path, USER, pwd.getpwnam(USER).pw_gid)

    def unix(self, name):
        return "unix://%s" % self.places[name].path

    def run_as_user(self, *command, **variables):
        who = pwd.getpwnam(USER)
        user = [] if os.getuid() else ["setpriv", "--reuid=%d" % who.pw_uid, "--regid=%d" % who.pw_gid, "--clear-groups"]
        environment = {"HOME": str(self.home), "PATH": "%s:%s" % (self.folder, os.environ["PATH"]), "MCP_BRIDGE_ALLOW_ROOTFUL": "1",
                       "MCP_BRIDGE_IMAGE": os.environ["MCP_BRIDGE_IMAGE"], **{name: str(value) for name, value in variables.items()}}
        words = ["env", "-i", "-C", "/", *("%s=%s" % each for each in environment.items())]
        return subprocess.run([*self.entering(command), *user, *words, *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT * 2)

    def entering(self, command):
        return []

    def do(self, *command, **variables):
        """The tool's own command, which succeeds."""
        ended = self.run_as_user(self.tool, *command, **variables)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def reached(self, *command, **variables):
        for place in self.places.values():
            place.asked = False
        ended = self.run_as_user(*command, **variables)
        return {name for name, place in self.places.items() if place.asked}, ended

    def doctor(self, **variables):
        """Where Cordon was, and what it says of each place, the first first."""
        where, ended = self.reached(self.binary, "doctor", "--json", **variables)
        return where, json.loads(ended.stdout)["tried"]

    def check_both_reach(self, name, source, **variables):
        where, ended = self.reached(self.tool, *self.ask, **variables)
        self.assertEqual((where, ended.returncode), ({name}, 0), ended.stderr)
        where, tried = self.doctor(**variables)
        self.assertEqual((where, tried[0]["source"], tried[0]["taken"]), ({name}, source, True), tried[0])
        self.assertEqual({each["outcome"] for each in tried[1:]} - {"not tried: %s was taken" % source}, set())
        return tried[0]["url"]

    def check_neither_works(self, *words, **variables):
        where, ended = self.reached(self.tool, *self.ask, **variables)
        self.assertNotEqual(ended.returncode, 0, ended)
        where, tried = self.doctor(**variables)
        self.assertEqual([each["source"] for each in tried if each["taken"]], [])
        for word in words:
            self.assertIn(word, tried[0]["outcome"])
        self.assertIn("what is set is used or is an error", tried[1]["outcome"])

    def tls(self, name):
        """A port with TLS that leads to the place; its client's files: ca, certificate and key."""
        ca = Authority(self.folder, "ca")
        server, client = ca.sign("server", "subjectAltName=IP:127.0.0.1"), ca.sign("client", "extendedKeyUsage=clientAuth")
        self.give(ca.file, *client)
        return self.listen("OPENSSL-LISTEN:%%d,bind=127.0.0.1,fork,reuseaddr,verify=1,cafile=%s,cert=%s,key=%s" % (ca.file, *server), name), ca.file, *client

    def listen(self, listen, name):
        port = free_port()
        self.begin(port, "socat", listen % port, "UNIX-CONNECT:%s" % self.places[name].path)
        return port

    def begin(self, port, *command):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def answers():
            with socket.socket() as asking:
                return asking.connect_ex(("127.0.0.1", port)) == 0
        until(answers, limit=LIMIT)

    def ssh(self):
        """A server on loopback, and a client in PATH that knows it; gives the URL of its host, and the user's key."""
        for name in ("host_key", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / name], check=True)
        self.give(self.folder / "key")
        port = free_port()
        (self.home / ".ssh").mkdir(0o700)
        known = self.home / ".ssh" / "known_hosts"
        known.write_text("[127.0.0.1]:%d %s" % (port, (self.folder / "host_key.pub").read_text()))
        self.give(self.home / ".ssh", known)
        client = self.folder / "ssh"
        client.write_text("#!/bin/sh\nexec /usr/bin/ssh -F none -o UserKnownHostsFile=%s -i %s/key \"$@\"\n" % (known, self.folder))
        client.chmod(0o755)
        (self.folder / "sshd").write_text(SSHD.format(port=port, folder=self.folder))
        if os.getuid() == 0 and not os.path.exists("/run/sshd"):
            os.mkdir("/run/sshd")
            self.addCleanup(os.rmdir, "/run/sshd")
        self.begin(port, "/usr/sbin/sshd", "-D", "-f", self.folder / "sshd")
        return "ssh://%s@127.0.0.1:%d" % (pwd.getpwuid(os.getuid()).pw_name, port), self.folder / "key"


class Docker(Case):
    tool, ask = "docker", ("version",)

    def create(self, name, url, *more, **variables):
        self.do("context", "create", name, "--docker", ",".join(["host=" + url, *map(str, more)]), **variables)

    def test_contexts(self):
        self.create("near", self.unix("near"))
        self.create("far", self.unix("far"))
        self.do("context", "use", "near")
        self.check_both_reach("near", 'Docker context "near"')
        self.check_both_reach("far", 'DOCKER_CONTEXT "far"', DOCKER_CONTEXT="far")
        self.check_both_reach("far", "DOCKER_HOST", DOCKER_HOST=self.unix("far"))
        self.check_both_reach("far", "DOCKER_HOST", DOCKER_HOST=self.unix("far"), DOCKER_CONTEXT="near")
        self.check_neither_works('no context "gone"', DOCKER_CONTEXT="gone")
        self.do("context", "use", "default")
        self.assertNotIn("context", self.doctor()[1][0]["source"])
        self.do("context", "use", "near")
        shutil.rmtree(next(self.home.glob(".docker/contexts/meta/*/meta.json")).parent)
        shutil.rmtree(next(self.home.glob(".docker/contexts/meta/*/meta.json")).parent)
        self.check_neither_works('no context "near"')

    def test_a_folder_elsewhere(self):
        elsewhere = self.home / "elsewhere"
        self.create("far", self.unix("far"), DOCKER_CONFIG=elsewhere)
        self.do("context", "use", "far", DOCKER_CONFIG=elsewhere)
        self.check_both_reach("far", 'Docker context "far"', DOCKER_CONFIG=elsewhere)

    def test_tls(self):
        port, *files = self.tls("far")
        self.create("far", "tcp://127.0.0.1:%d" % port, *("%s=%s" % each for each in zip(("ca", "cert", "key"), files)))
        self.do("context", "use", "far")
        self.assertEqual(self.check_both_reach("far", 'Docker context "far"'), "https://127.0.0.1:%d" % port)
        self.create("unknown", "tcp://127.0.0.1:%d" % port, *("%s=%s" % each for each in zip(("cert", "key"), files[1:])))
        self.check_neither_works("SSL certificate problem", DOCKER_CONTEXT="unknown")
        self.create("unchecked", "tcp://127.0.0.1:%d" % port, "skip-tls-verify=true", *("%s=%s" % each for each in zip(("cert", "key"), files[1:])))
        self.check_both_reach("far", 'DOCKER_CONTEXT "unchecked"', DOCKER_CONTEXT="unchecked")
        folder = self.home / "certs"
        folder.mkdir()
        for name, path in zip(("ca.pem", "cert.pem", "key.pem"), files):
            shutil.copy(path, folder / name)
        self.give(folder, *folder.iterdir())
        self.check_both_reach("far", "DOCKER_HOST", DOCKER_HOST="tcp://127.0.0.1:%d" % port, DOCKER_TLS_VERIFY=1, DOCKER_CERT_PATH=folder)

    def test_ssh(self):
        url = self.ssh()[0] + str(self.places["far"].path)
        ended = self.run_as_user(self.tool, "context", "create", "far", "--docker", "host=" + url)
        if ended.returncode != 0:  # Docker before 23 takes no path
            self.assertIn("extra path after the host", ended.stderr)
            self.skipTest("this docker takes no path in ssh://")
        self.do("context", "use", "far")
        self.assertEqual(self.check_both_reach("far", 'Docker context "far"'), url)


class Podman(Case):
    tool, ask = "podman", ("--remote", "version")

    def entering(self, command):
        """With a release's engine, that release's podman."""
        if command[0] != self.tool or "--release" not in os.environ["CORDON_ENGINE_FLAGS"]:
            return []
        return ["nsenter", "--mount=/proc/%d/ns/mnt" % behind(os.environ["MCP_BRIDGE_RUNTIME_SOCKET"][len("unix://"):])]

    def old(self):
        return self.do("--version").startswith("podman version 4.")

    def connection(self, *words, **variables):
        self.do("system", "connection", *words, **variables)

    def test_connections(self):
        self.connection("add", "near", self.unix("near"))
        self.connection("add", "far", self.unix("far"))
        self.check_both_reach("near", 'podman\'s default connection "near"')  # the first is the default
        self.connection("default", "far")
        self.check_both_reach("far", 'podman\'s default connection "far"')
        self.check_both_reach("near", "CONTAINER_HOST", CONTAINER_HOST=self.unix("near"))
        if self.old():  # the other way round for podman 5: what is one user's today is the other's tomorrow, and ours stays
            self.check_both_reach("near", "CONTAINER_HOST", CONTAINER_HOST=self.unix("near"), CONTAINER_CONNECTION="far")
        self.check_neither_works('no connection "gone"', CONTAINER_CONNECTION="gone")
        self.check_both_reach("near", 'CONTAINER_CONNECTION "near"', CONTAINER_CONNECTION="near")
        self.connection("remove", "far")
        self.assertEqual(self.doctor()[1][0]["taken"], False)

    def test_plain_tcp_on_loopback(self):
        port = self.listen("TCP-LISTEN:%d,bind=127.0.0.1,fork,reuseaddr", "far")
        self.connection("add", "--default", "far", "tcp://127.0.0.1:%d" % port)
        self.check_both_reach("far", 'podman\'s default connection "far"')

    def test_files_written_by_hand(self):
        say = '[engine]\nactive_service = "%s"\n[engine.service_destinations.%s]\nuri = "%s"\n'
        folder = self.home / ".config" / "containers"
        (folder / "containers.conf.d").mkdir(parents=True)
        (folder / "containers.conf").write_text(say % ("near", "near", self.unix("near")))
        self.give(self.home / ".config", folder)
        self.check_both_reach("near", 'podman\'s default connection "near"')
        only = self.home / "only.conf"
        only.write_text(say % ("far", "far", self.unix("far")))
        self.check_both_reach("far", 'podman\'s default connection "far"', CONTAINERS_CONF=only)
        if self.old():
            self.skipTest("podman 4 takes connections from the one file that it writes itself")
        self.check_both_reach("far", 'podman\'s default connection "far"', CONTAINERS_CONF_OVERRIDE=only)
        (folder / "containers.conf.d" / "20-far.conf").write_text(say % ("far", "far", self.unix("far")))
        self.check_both_reach("far", 'podman\'s default connection "far"')
        (folder / "containers.conf.d" / "30-back.conf").write_text('[engine]\nactive_service = "near"\n')
        self.check_both_reach("near", 'podman\'s default connection "near"')
        (folder / "containers.conf.d" / "40-odd.conf").write_text("[engine\n")
        self.check_neither_works("40-odd.conf:1")

    def test_ssh(self):
        url, key = self.ssh()
        held = tempfile.TemporaryDirectory(prefix="cordon-tools-", dir="/run")  # podman 4.3 makes /run/x of /any/run/x, and of others nothing
        self.addCleanup(held.cleanup)
        self.places["far"].close()
        self.places["far"] = Place(self.places["far"].engine, pathlib.Path(held.name, "far.sock"))
        url += str(self.places["far"].path)
        self.connection("add", "--default", "--identity", str(key), "far", url)
        self.assertEqual(self.check_both_reach("far", 'podman\'s default connection "far"'), url)
        self.check_both_reach("far", "CONTAINER_HOST", CONTAINER_HOST=url, CONTAINER_SSHKEY=key)


if __name__ == "__main__":
    unittest.main()
