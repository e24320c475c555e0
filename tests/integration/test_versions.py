"""Which version of its API a Docker is spoken to in: the usual one, else the nearest that it has, else it is said who is too old. with_engine --docker"""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, Engine  # noqa: E402
from engine_way import EngineWay  # noqa: E402

USUAL = 44  # its minor version
FLAGS = os.environ["CORDON_ENGINE_FLAGS"].split()
REQUEST = re.compile(rb"^(?:GET|HEAD|POST|DELETE) (\S+) HTTP/1\.1\r$", re.M)


def minor(version):
    return int(version.split(".")[1])


class Front(EngineWay):
    """Keeps what was asked for. With `version`, that is what the engine says of its versions."""

    def __init__(self, engine, version=None):
        self.version, self.asked = version, []
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-front-")
        self.url = "unix://%s/s" % self.folder.name
        super().__init__(engine.path, self.folder.name + "/s")

    def passes(self, data, near):
        targets = REQUEST.findall(data)
        self.asked += [each.decode() for each in targets]
        if not self.version or b"/version" not in targets:
            return True
        body = json.dumps(self.version).encode()
        near.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        near.shutdown(socket.SHUT_RDWR)
        return False

    def close(self):
        super().close()
        self.folder.cleanup()


class Case(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.home = tempfile.TemporaryDirectory(prefix="cordon-versions-")
        self.addCleanup(self.home.cleanup)

    def served(self):
        """The oldest and the newest version that the engine has."""
        answer = json.loads(self.engine.request("GET", "/version")[2])
        return minor(answer["MinAPIVersion"]), minor(answer["ApiVersion"])

    def cordon(self, *words, url=None, **variables):
        environment = {**os.environ, "HOME": self.home.name, "MCP_BRIDGE_STATE_DIR": self.home.name + "/state", **variables}
        if url:
            environment["MCP_BRIDGE_RUNTIME_SOCKET"] = url
        return subprocess.run([CORDON, *words], input="print(6 * 7)", capture_output=True, text=True, timeout=LIMIT * 3, env=environment)

    def check_speaks(self, expected, **variables):
        """A run works, and all that is asked for is asked in this version."""
        front = Front(self.engine)
        self.addCleanup(front.close)
        ended = self.cordon("exec", "-", url=front.url, **variables)
        self.assertEqual((ended.returncode, ended.stdout), (0, "42\n"), ended.stderr)
        spoken = {each.split("/")[1] for each in front.asked} - {"_ping", "version"}
        self.assertEqual(spoken, {"v1.%d" % expected}, front.asked)
        said = json.loads(self.cordon("doctor", "--json", **variables).stdout)["engine"]["apiVersion"]
        self.assertEqual(said, "1.%d" % expected)


class Versions(Case):
    def test_the_usual_version_or_the_engine_s_newest(self):
        self.check_speaks(min(self.served()[1], USUAL))

    def test_the_variable_for_docker_s_own_command_is_not_for_us(self):
        for version in ("1.30", "none"):
            self.check_speaks(min(self.served()[1], USUAL), DOCKER_API_VERSION=version)

    def test_an_engine_that_knows_no_version_of_ours(self):
        for served, words in (
                (("1.57", "1.70"), ["it asks for 1.57 or newer, known are 1.41 to 1.56", "a newer Cordon", "DOCKER_MIN_API_VERSION=1.56"]),
                (("1.12", "1.40"), ["too old: its API is 1.40, needed is 1.41", "Docker 20.10"])):
            front = Front(self.engine, {"MinAPIVersion": served[0], "ApiVersion": served[1]})
            self.addCleanup(front.close)
            ended = self.cordon("exec", "-", url=front.url)
            self.assertEqual((ended.returncode, ended.stdout), (125, ""), ended.stderr)
            self.assertEqual(set(front.asked), {"/_ping", "/version"})
            told = self.cordon("doctor", url=front.url).stdout
            for word in words:
                self.assertIn(word, ended.stderr)
                self.assertIn(word, told)


class Refused(Case):
    """The engine is told to refuse what is older (DOCKER_MIN_API_VERSION, from Docker 25 on)."""

    def restart(self, **variables):
        command = [ROOT / "scripts" / "engine", "restart", *FLAGS]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **variables})
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_our_usual_version_is_refused(self):
        newest = self.served()[1]
        self.assertGreater(newest, USUAL, "this engine has nothing newer")
        self.addCleanup(self.restart)
        self.restart(CORDON_ENGINE_DOCKERD_ENV="DOCKER_MIN_API_VERSION=1.%d" % newest)
        status, _, body = self.engine.request("GET", "/v1.%d/info" % USUAL)
        self.assertEqual(status, 400, body)
        self.assertIn(b"too old", body)
        self.check_speaks(newest)


if __name__ == "__main__":
    unittest.main()
