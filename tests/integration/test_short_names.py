"""Short names, of which podman's registries.conf says where they lead: with the user's login for that registry, whichever it is. The engine is
one of the test's own, with a registries.conf of its own."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import LIMIT, Cordon  # noqa: E402
from own_engine import OwnEngine  # noqa: E402
from registry import Trust, basic  # noqa: E402
from registry_case import RegistryCase  # noqa: E402

FLAGS = os.environ.get("CORDON_ENGINE_FLAGS", "").split()
NOBODY = "127.0.0.1:9"


def setUpModule():
    if os.getuid() != 0:
        raise unittest.SkipTest("needs root: the engine's settings are seen in a mount namespace")


class ShortNames(RegistryCase):
    @classmethod
    def make_engine(cls):
        cls.own = OwnEngine(*FLAGS)
        cls.addClassCleanup(cls.own.close)
        cls.python = cls.own.settings["MCP_BRIDGE_IMAGE"]
        return cls.own.engine

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry.put_image("team/small", "v1", b"one")
        cls.registry.put_image("small", "v1", b"two")
        cls.push("v1")

    @classmethod
    def trust(cls, registry):
        Trust(cls.engine, registry)  # in a home that goes with the engine

    def setUp(self):
        super().setUp()
        self.drop_all()  # podman takes a short name for that of an image which it has

    def environment(self, **more):
        return super().environment(**{**self.own.settings, **more})

    def lead(self, *registries, mode="enforcing", **aliases):
        lines = ['short-name-mode = "%s"' % mode, "unqualified-search-registries = %s" % json.dumps(registries), "[aliases]"]
        self.own.configure(".config/containers/registries.conf", "\n".join(lines + ['"%s" = "%s"' % each for each in aliases.items()]) + "\n")

    def test_an_alias_leads_to_its_registry_with_the_login_for_that(self):
        self.lead("docker.io", NOBODY, small=self.registry.host + "/team/small", python=self.registry.host + "/team/python")
        self.refused("small:v1", "tried without a login, since none was found", "podman login")
        elsewhere = self.keep(".docker/config.json", {"auths": {self.way.host: {"auth": basic()}}})
        self.refused("small:v1", "tried with the logins for " + self.way.host, "podman login")
        os.unlink(elsewhere)
        self.logged_in()
        self.pull("small:v1")
        self.assertIn(self.registry.host + "/team/small:v1", self.names())
        env = {**self.own.settings, "MCP_BRIDGE_IMAGE": "python:v1", "REGISTRY_AUTH_FILE": str(self.home / ".config/containers/auth.json")}
        with Cordon(env=env) as cordon:
            call = {"name": "run_python", "arguments": {"code": "print(1)"}, "_meta": {"progressToken": "x"}}
            answer = cordon.answer("tools/call", call, LIMIT * 3)
            self.assertEqual(answer["result"]["content"][0]["text"], "1\n", answer)
            self.assertIn("pulling python:v1: ", cordon.notifications.get(timeout=LIMIT)["params"]["message"])

    def test_a_credential_helper_of_that_registry_is_asked(self):
        self.lead(small=self.registry.host + "/team/small")
        helper = self.home / "bin" / "docker-credential-good"
        helper.parent.mkdir()
        helper.write_text("#!/bin/sh\nread -r server\n[ $server = %s ] && echo '{\"Username\":\"tester\",\"Secret\":\"secret\"}'\n" % self.registry.host)
        helper.chmod(0o700)
        self.keep(".docker/config.json", {"credHelpers": {self.registry.host: "good"}})
        self.pull("small:v1")

    def test_one_that_may_mean_several_must_be_written_in_full(self):
        self.lead(NOBODY, self.registry.host)
        self.logged_in()
        self.refused("small:v1", "short-name resolution enforced", " → podman does not know which registry", "write it in full")

    def test_none_to_look_in(self):
        self.lead()
        self.refused("small:v1", "no unqualified-search registries", " → podman does not know which registry", "write it in full")

    def test_the_only_one_is_asked(self):
        self.lead(self.registry.host)
        self.logged_in()
        self.pull("small:v1")
        self.assertIn(self.registry.host + "/small:v1", self.names())
        self.refused("absent:v1", " → ", "check the name and the tag")

    def test_where_all_may_be_asked_they_are_and_each_is_told(self):
        for mode in ("permissive", "disabled"):
            with self.subTest(mode):
                self.drop_all()
                self.lead(NOBODY, self.registry.host, mode=mode)
                self.logged_in()
                self.pull("small:v1")
                self.assertIn(self.registry.host + "/small:v1", self.names())
                self.refused("absent:v1", NOBODY + "/absent", self.registry.host + "/absent", " → ")


if __name__ == "__main__":
    unittest.main()
