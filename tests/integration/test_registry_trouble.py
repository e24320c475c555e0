"""Pulls that go wrong on their way: one that stalls, is cut, is ended, is refused. What the user is told, that the engine lets go, and that
the next one works."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, until  # noqa: E402
from registry import Trust  # noqa: E402
from registry_case import RegistryCase  # noqa: E402
from registry_way import Refuser  # noqa: E402

SOME = 6 << 20


def said(code, message):
    return "application/json", json.dumps({"errors": [{"code": code, "message": message}]}).encode()


class Case(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry.put_image("team/large", "v1", os.urandom(24 << 20))
        cls.large = cls.way.host + "/team/large:v1"

    def setUp(self):
        super().setUp()
        self.logged_in()
        self.addCleanup(self.drop, self.large)
        self.addCleanup(self.way.open)

    def refuser(self, status, kind, body):
        """The name of an image in a registry that refuses so."""
        refuser = Refuser(self.registry, status, kind, body)
        self.addCleanup(refuser.close)
        self.addCleanup(Trust(self.engine, refuser).close)
        return refuser.host + "/team/x:v1"

    def begin(self, **more):
        """A pull that stands still in the middle of the layer."""
        self.way.stall_after(SOME)
        process = subprocess.Popen([CORDON, "image", "pull", self.large], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment(**more))
        self.assertTrue(self.way.reached.wait(LIMIT))
        return process

    def let_go(self):
        """The engine does not wait for the registry any more, and has no image. (Docker waits until the way is open again.)"""
        if not self.engine.podman:
            self.way.open()
        until(lambda: self.way.standing() == 0, limit=LIMIT)
        self.assertNotIn(self.large, self.names())


class Trouble(Case):
    def test_one_that_is_cut_each_time_says_so_and_the_next_is_whole(self):
        self.way.cut_after(1 << 20, times=1000)
        said = self.refused(self.large, " → the connection between the engine and the registry broke", "try again")
        self.assertNotIn("login from", said)
        self.way.open()
        self.pull(self.large)

    def test_a_registry_that_refuses(self):
        for status, (kind, body), words in (
                (403, said("DENIED", "requested access to the resource is denied"), ("tried without a login", "podman login")),
                (403, ("text/html", b"<html>no</html>"), ("tried without a login", "podman login")),
                (500, said("UNKNOWN", "unknown error"), ("500 Internal Server Error", "try again later")),
                (503, ("text/html", b"<html>no</html>"), ("503 Service Unavailable", "try again later"))):
            with self.subTest(status=status, body=body):
                self.refused(self.refuser(status, kind, body), " → ", *words)


class Patient(Case):
    """What takes longer, two minutes at most."""

    def test_one_that_stalls_is_given_up_after_a_time_that_can_be_set(self):
        out, err = self.begin(MCP_BRIDGE_PULL_TIMEOUT="8").communicate(timeout=LIMIT * 2)
        self.assertEqual(out, "")
        self.assertIn("pull image %s: nothing came for 8 s" % self.large, err)
        self.assertIn(" → the pull stands still", err)
        self.assertIn("--pull-timeout", err)
        self.assertNotIn("login from", err)
        self.let_go()
        self.way.open()
        self.pull(self.large)

    def test_one_that_is_interrupted_ends_at_the_engine_too(self):
        process = self.begin()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, out), (-signal.SIGINT, ""), err)
        self.let_go()
        self.way.open()
        self.pull(self.large)

    def test_one_that_is_cut_is_begun_again_by_the_engine(self):
        self.way.cut_after(SOME)
        self.pull(self.large)
        self.assertTrue(self.way.reached.is_set())

    def test_a_registry_that_limits_pulls_and_an_engine_that_waits_for_it(self):
        # podman asks it again for two minutes, and says nothing of it
        limits = self.refuser(429, *said("TOOMANYREQUESTS", "You have reached your pull rate limit."))
        self.refused(limits, " → ", "limits pulls", "podman login", MCP_BRIDGE_PULL_TIMEOUT="3")

    def test_a_registry_that_limits_pulls_is_told_within_the_time_that_a_pull_has(self):
        limits = self.refuser(429, *said("TOOMANYREQUESTS", "You have reached your pull rate limit."))
        self.refused(limits, "toomanyrequests: You have reached your pull rate limit.", " → the registry limits pulls without a login")

    def test_a_program_waits_for_an_image_that_comes_slowly(self):
        self.registry.put_above("team/python", os.path.basename(self.push("many")).split(":")[1], "slow", os.urandom(24 << 20))
        image = self.way.host + "/team/python:slow"
        self.addCleanup(self.drop, image)
        self.way.stall_after(SOME)
        process = subprocess.Popen([CORDON, "exec", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment(MCP_BRIDGE_IMAGE=image, MCP_BRIDGE_PULL_TIMEOUT="600"))
        process.stdin.write("print(1)")
        process.stdin.close()
        self.assertTrue(self.way.reached.wait(LIMIT))
        self.assertRaises(subprocess.TimeoutExpired, process.wait, 125)  # a call of a server is answered after 120
        self.way.open()
        self.assertEqual(process.wait(LIMIT), 0, process.stderr.read())
        self.assertEqual(process.stdout.read(), "1\n")
        process.stdout.close()
        process.stderr.close()


if __name__ == "__main__":
    unittest.main()
