"""A TestCase with a registry behind a way that can be cut, an engine that trusts both, and a home in which the test keeps its logins."""
import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse

from cordon_client import CORDON, LIMIT, Engine
from registry import PASSWORD, USER, Registry, Trust, basic
from registry_way import Way


class RegistryCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = cls.make_engine()
        cls.registry = Registry()
        cls.addClassCleanup(cls.registry.close)
        cls.way = Way(cls.registry)
        cls.addClassCleanup(cls.way.close)
        for each in (cls.registry, cls.way):
            cls.trust(each)
        cls.addClassCleanup(cls.drop_all)

    python = os.environ.get("MCP_BRIDGE_IMAGE")  # one that the engine has

    @classmethod
    def make_engine(cls):
        return Engine()

    @classmethod
    def trust(cls, registry):
        cls.addClassCleanup(Trust(cls.engine, registry).close)

    @classmethod
    def names(cls):
        images = json.loads(cls.engine.request("GET", "/images/json")[2])
        return {name for image in images for name in image.get("RepoTags") or []}

    @classmethod
    def drop(cls, name):
        cls.engine.request("DELETE", "/images/%s?force=true" % urllib.parse.quote(name))

    @classmethod
    def drop_all(cls):
        for name in cls.names():
            if name.startswith((cls.registry.host, cls.way.host)):
                cls.drop(name)

    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="cordon-registry-home-")
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)

    def keep(self, path, value):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
        return str(file)

    def logged_in(self):
        self.keep(".config/containers/auth.json", {"auths": {each.host: {"auth": basic()} for each in (self.registry, self.way)}})

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_") and name != "DOCKER_CONFIG"}
        return {**kept, "HOME": str(self.home), "PATH": "%s/bin:%s" % (self.home, os.environ["PATH"]),
                "MCP_BRIDGE_STATE_DIR": str(self.home / "state"), **more}

    def cordon(self, *words, **more):
        return subprocess.run([CORDON, *words], capture_output=True, text=True, timeout=LIMIT * 3, env=self.environment(**more))

    def pull(self, reference, **more):
        ended = self.cordon("image", "pull", reference, **more)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.split()[1]

    def refused(self, reference, *words, **more):
        ended = self.cordon("image", "pull", reference, **more)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""), ended.stderr)
        for word in words:
            self.assertIn(word, ended.stderr)
        self.assertNotIn(PASSWORD, ended.stderr)
        return ended.stderr

    @classmethod
    def pulls(cls, tag):
        """How often an engine asked the registry what a tag is now: by HEAD, where it does that before all else."""
        line = " /v2/team/python/manifests/" + tag + r' [^"]*" \d+ \d+ "[^"]*" "[^"]'  # the tests themselves send no User-Agent
        return cls.registry.asked("HEAD" + line) or cls.registry.asked("GET" + line)

    @classmethod
    def push(cls, tag):
        """The engine's own image with Python, put into the registry; its name there."""
        source, target = cls.python, cls.registry.host + "/team/python"
        login = base64.urlsafe_b64encode(json.dumps({"username": USER, "password": PASSWORD}).encode()).decode()
        quoted = urllib.parse.quote(source, safe="")
        if cls.engine.podman:
            target_query = urllib.parse.quote(target + ":" + tag, safe="")
            steps = [("/v4.0.0/libpod/images/%s/push?destination=%s" % (quoted, target_query))]
        else:
            steps = ["/images/%s/tag?repo=%s&tag=%s" % (urllib.parse.quote(source), target, tag), "/images/%s/push?tag=%s" % (target, tag)]
        for step in steps:
            status, _, body = cls.engine.request("POST", step, headers={"X-Registry-Auth": login}, limit=LIMIT * 5)
            assert status < 300, body
            assert b'"error' not in body, body
        if not cls.engine.podman:
            cls.engine.request("DELETE", "/images/%s:%s?noprune=true" % (target, tag))
        assert target + ":" + tag not in cls.names()
        return target + ":" + tag
