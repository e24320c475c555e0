"""Calls that want an image which is not there yet: one pull for all of them, which goes on while anybody may want it, and what is told when
it stands still."""
import json
import os
import sys
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import LIMIT, Cordon, Result, until  # noqa: E402
from registry import basic  # noqa: E402
from registry_case import RegistryCase  # noqa: E402

PATIENT = LIMIT * 3
SOME = 4 << 20


class Case(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.small = cls.push("many")
        cls.registry.put_above("team/python", "many", "large", os.urandom(16 << 20))
        cls.large = cls.way.host + "/team/python:large"

    def setUp(self):
        super().setUp()
        self.addCleanup(self.drop, self.large)
        self.addCleanup(self.way.open)

    def settings(self, image, **more):
        logins = {each.host: {"auth": basic()} for each in (self.registry, self.way)}
        return {"MCP_BRIDGE_IMAGE": image, "REGISTRY_AUTH_FILE": self.keep("auth.json", {"auths": logins}), **more}

    def call(self, cordon, number):
        """Its id and a future of its answer."""
        return cordon.start("tools/call", {"name": "run_python", "arguments": {"code": "print(%d)" % number},
                                           "_meta": {"progressToken": "call %d" % number}})

    def answered(self, call, number):
        text = call[1].result(PATIENT)["result"]["content"][0]["text"]  # and what is not enforced, on an engine that enforces nothing
        self.assertTrue(text.startswith("%d\n" % number), text)

    def stalled(self, cordon, count):
        """So many calls that wait for a pull which stands still in the middle of a layer."""
        self.way.stall_after(SOME)
        calls = [self.call(cordon, each) for each in range(count)]
        self.assertTrue(self.way.reached.wait(LIMIT))
        return calls

    def let_go(self):
        """The engine does not wait for the registry any more. (Docker does, until the way is open again.)"""
        if not self.engine.podman:
            self.way.open()
        until(lambda: self.way.standing() == 0, limit=LIMIT)


class Calls(Case):
    def test_many_calls_that_want_an_image_pull_it_once_and_are_told(self):
        env, before = self.settings(self.small), self.pulls("many")
        self.pull(self.small, **env)
        self.assertEqual(self.pulls("many"), before + 1)
        self.engine.request("DELETE", "/images/%s?force=true&noprune=true" % urllib.parse.quote(self.small))
        with Cordon(env=env) as cordon:
            for each, call in enumerate([self.call(cordon, each) for each in range(4)]):
                self.answered(call, each)
                self.assertNotIn("pulling", json.dumps(call[1].result()))
            told = []
            while not cordon.notifications.empty():
                told.append(cordon.notifications.get())
        self.assertEqual(self.pulls("many"), before + 2)
        self.assertEqual({each["params"]["progressToken"] for each in told}, {"call %d" % each for each in range(4)}, told)
        self.assertTrue(all(each["params"]["message"].startswith("pulling " + self.small) for each in told), told)

    def test_a_call_that_is_cancelled_leaves_the_pull_to_the_others(self):
        before = self.pulls("large")
        with Cordon(env=self.settings(self.large)) as cordon:
            first, second = self.stalled(cordon, 2)
            cordon.notify("notifications/cancelled", {"requestId": first[0]})
            cordon.request("ping")
            self.way.open()
            self.answered(second, 1)
            self.assertFalse(first[1].done())
        self.assertEqual(self.pulls("large"), before + 1)

    def test_a_pull_that_stalls_is_told_and_the_next_call_has_its_image(self):
        with Cordon(env=self.settings(self.large, MCP_BRIDGE_PULL_TIMEOUT="10")) as cordon:
            result = Result(self.stalled(cordon, 1)[0][1].result(PATIENT))
            self.assertTrue(result.is_error, result)
            for words in ("image %s is not there and could not be pulled" % self.large, "nothing came for 10 s", " → ", "--pull-timeout"):
                self.assertIn(words, result.text)
            self.let_go()
            self.way.open()
            self.answered(self.call(cordon, 3), 3)


class Ends(Case):
    def test_all_are_cancelled_and_the_next_one_finds_the_image_there(self):
        before = self.pulls("large")
        with Cordon(env=self.settings(self.large)) as cordon:
            for call in self.stalled(cordon, 2):
                cordon.notify("notifications/cancelled", {"requestId": call[0]})
            cordon.request("ping")
            self.way.open()
            until(lambda: self.large in self.names(), limit=LIMIT)
            self.answered(self.call(cordon, 7), 7)
        self.assertEqual(self.pulls("large"), before + 1)

    def test_the_end_of_cordon_is_the_end_of_its_pull(self):
        for killed in (False, True):
            with self.subTest(killed=killed), Cordon(env=self.settings(self.large)) as cordon:
                self.stalled(cordon, 1)
                if killed:
                    cordon.process.kill()
                else:
                    self.assertEqual(cordon.end(), 0)
                self.let_go()
                self.way.open()
                self.assertNotIn(self.large, self.names())

    def test_a_call_does_not_wait_for_ever_and_the_pull_goes_on(self):
        before = self.pulls("large")
        with Cordon(env=self.settings(self.large, MCP_BRIDGE_PULL_TIMEOUT="600")) as cordon:
            result = Result(self.stalled(cordon, 1)[0][1].result(PATIENT))  # after two minutes
            self.assertIn("an image that is being pulled takes its time", result.text)
            self.way.open()
            self.answered(self.call(cordon, 5), 5)
        self.assertEqual(self.pulls("large"), before + 1)


if __name__ == "__main__":
    unittest.main()
