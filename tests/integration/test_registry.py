"""Images from a real registry with TLS and a login: who may pull, what is told, and how far it is."""
import base64
import os
import pathlib
import pty
import re
import stat
import subprocess
import sys
import termios
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT  # noqa: E402
from registry import PASSWORD, USER, Registry, Trust, basic, outside_address  # noqa: E402
from registry_case import RegistryCase  # noqa: E402

HELPER = """#!/bin/sh
read -r server
echo "$server" >>"$0.asked"
case $server in %s) echo '{"ServerURL":"x","Username":"%s","Secret":"%s"}' ;; *) echo "credentials not found in native keychain"; exit 1 ;; esac
"""


class Pulls(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.image = cls.registry.host + "/team/small"
        cls.registry.put_image("team/small", "v1", b"one")

    def helper(self, name, text):
        file = self.home / "bin" / ("docker-credential-" + name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(stat.S_IRWXU)
        return file

    def test_without_a_login_it_is_refused_and_the_message_says_what_helps(self):
        # an older Docker takes the refusal of a registry on loopback for a sign that it speaks no TLS
        version = self.engine.request("GET", "/_ping")[1]["Api-Version"].split(".")
        remedy = "HTTP request to an HTTPS server" if not self.engine.podman and int(version[1]) < 44 else "podman login"
        self.refused(self.image + ":v1", "tried without a login, since none was found", remedy)

    def test_a_wrong_login_is_named_by_its_file_and_not_repeated(self):
        wrong = base64.b64encode(b"tester:" + PASSWORD[::-1].encode()).decode()
        file = self.keep(".docker/config.json", {"auths": {self.registry.host: {"auth": wrong}}})
        said = self.refused(self.image + ":v1", "tried with the login from " + file)
        self.assertNotIn(PASSWORD[::-1], said)

    def test_logins_of_podman_and_docker_wherever_they_are_kept(self):
        entry = {"auths": {"https://" + self.registry.host + "/v1/": {"auth": basic()}}}
        with self.subTest("REGISTRY_AUTH_FILE"):
            self.pull(self.image + ":v1", REGISTRY_AUTH_FILE=self.keep("elsewhere.json", entry))
        with self.subTest("the runtime folder"):
            self.keep("run/containers/auth.json", {"auths": {self.registry.host + "/team": {"auth": basic()}}})
            self.pull(self.image + ":v1", XDG_RUNTIME_DIR=str(self.home / "run"))
        with self.subTest("Docker's"):
            self.keep(".docker/config.json", entry)
            self.pull(self.image + ":v1")
        with self.subTest("podman's own goes before it"):
            self.keep(".docker/config.json", {"auths": {self.registry.host: {"auth": "!"}}})
            self.logged_in()
            self.pull(self.image + ":v1")

    def test_credential_helpers(self):
        asked = self.helper("good", HELPER % (self.registry.host, USER, PASSWORD))
        self.helper("stuck", "#!/bin/sh\nexec sleep 1000\n")
        with self.subTest("for this registry"):
            self.keep(".docker/config.json", {"credHelpers": {self.registry.host: "good"}, "credsStore": "stuck"})
            self.pull(self.image + ":v1")
        with self.subTest("for all"):
            self.keep(".docker/config.json", {"credsStore": "good", "auths": {self.registry.host: {}}})
            self.pull(self.image + ":v1")
        self.assertEqual(pathlib.Path(str(asked) + ".asked").read_text().split(), [self.registry.host] * 2)
        with self.subTest("one that is not there is told, and the file's own login taken"):
            self.keep(".docker/config.json", {"credsStore": "absent", "auths": {self.registry.host: {"auth": basic()}}})
            self.pull(self.image + ":v1")
            self.refused(self.registry.host + "/no/such:v1", "docker-credential-absent: not found in PATH")
        with self.subTest("one that does not answer"):
            self.keep(".docker/config.json", {"credsStore": "stuck"})
            self.refused(self.image + ":v1", "docker-credential-stuck did not answer within 10 s")
        with self.subTest("one that is a path"):
            self.keep(".docker/config.json", {"credsStore": "/../../bin/good"})
            self.refused(self.image + ":v1", "is no name of a credential helper")

    def test_a_name_that_the_registry_does_not_have(self):
        self.logged_in()
        self.refused(self.image + ":v0", "→", "check the name and the tag")

    def test_nobody_listens_there(self):
        self.refused("127.0.0.1:1/x:v1", "the engine cannot reach the registry")

    def test_an_unknown_ca_is_told_with_where_it_belongs(self):
        if not self.engine.podman:
            self.skipTest("Docker does not check loopback; see below")
        other = Registry()
        self.addCleanup(other.close)
        self.refused(other.host + "/x:v1", "certs.d/HOST:PORT/ca.crt")

    def test_beyond_loopback_where_docker_checks_as_podman_does(self):
        address = outside_address()
        if self.engine.podman or not address:
            self.skipTest("podman checks everywhere" if self.engine.podman else "this host has no address but loopback")
        other = Registry(address)
        self.addCleanup(other.close)
        other.put_image("team/small", "v1", b"one")
        image = other.host + "/team/small:v1"
        self.addCleanup(self.drop, image)
        trust = Trust(self.engine, other)
        self.addCleanup(trust.close)
        authority = trust.file().read_bytes()
        trust.file().unlink()
        said = self.refused(image, " → the engine does not trust the registry's certificate")
        self.assertIn(re.sub(r".*/(\.?\w+/docker/certs\.d).*", r"\1", str(trust.file())), said)  # where it is for this engine
        trust.file().write_bytes(authority)
        self.refused(image, "tried without a login, since none was found", " → ", "docker login")
        self.keep(".docker/config.json", {"auths": {other.host: {"auth": base64.b64encode(b"tester:wrong").decode()}}})
        self.refused(image, "tried with the login from ", "/.docker/config.json", " → ", "docker login")
        self.keep(".docker/config.json", {"auths": {other.host: {"auth": basic()}}})
        self.pull(image)

    def test_digests_and_a_tag_that_moved(self):
        self.logged_in()
        first = self.registry.put_image("team/moving", "latest", b"first")
        moving = self.registry.host + "/team/moving"
        before = self.pull(moving)
        second = self.registry.put_image("team/moving", "latest", b"second")
        after = self.pull(moving)  # what is there does not keep it from looking
        self.assertNotEqual(before, after)
        self.assertEqual(self.pull(moving + "@" + first), before)
        self.assertEqual(self.pull(moving + ":latest@" + first), before)  # the digest says more
        self.assertEqual(self.pull(moving + "@" + second), after)
        self.refused(moving + "@sha256:" + "0" * 64, "→")

    def test_a_short_name_is_dockers_own_registry_to_docker(self):
        if self.engine.podman:
            self.skipTest("podman's are in test_short_names.py")
        # with a network that registry knows no such image, without one it cannot be reached
        self.refused("cordon-tests-no-such/image:v0", " → ")

    def counts_bytes(self):
        podman = self.engine.request("GET", "/_ping")[1].get("Libpod-Api-Version", "5.0").split(".")
        return (int(podman[0]), int(podman[1])) >= (4, 8)

    def test_a_terminal_is_shown_how_far_it_is_and_a_pipe_is_not(self):
        self.logged_in()
        self.registry.put_image("team/large", "v1", os.urandom(24 << 20))
        large = self.way.host + "/team/large:v1"
        self.way.pace = 8 << 20
        self.addCleanup(setattr, self.way, "pace", None)
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 120))
        process = subprocess.Popen([CORDON, "image", "pull", large], stdout=subprocess.PIPE, stderr=theirs, env=self.environment())
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 65536)
            except OSError:  # nobody has the other end any more
                break
        os.close(ours)
        self.assertEqual(len(process.communicate(timeout=LIMIT)[0].splitlines()), 1)
        self.assertEqual(process.returncode, 0, seen)
        self.assertIn(b"pulling " + large.encode(), seen)
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-100:])  # the line is gone again
        if self.counts_bytes():
            self.assertRegex(seen.decode(), r"\d+\.\d of \d+\.\d MB \[[#.]{24}\]")
        self.assertEqual(self.cordon("image", "pull", large).stderr, "")


if __name__ == "__main__":
    unittest.main()
