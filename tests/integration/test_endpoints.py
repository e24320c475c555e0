"""Engines as the user's own files and variables name them, found by the real program: URLs, TLS with client certificates, Docker's contexts,
podman's connections. The engine is a fake (fake_engine.py), since what counts is who is asked, and what is said of the others."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT  # noqa: E402
from fake_engine import TlsEngine, UnixEngine  # noqa: E402
from registry import make_certificate  # noqa: E402

PEM = ("ca.pem", "cert.pem", "key.pem")


class Endpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory(prefix="cordon-endpoints-")
        cls.addClassCleanup(held.cleanup)
        cls.keys = pathlib.Path(held.name)
        make_certificate(cls.keys, "IP:127.0.0.1,IP:::1")
        cls.tls = TlsEngine(cls.keys)
        cls.addClassCleanup(cls.tls.close)

    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="cordon-endpoints-")
        self.addCleanup(held.cleanup)
        self.home = pathlib.Path(held.name)

    def write(self, path, text):
        self.home.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        self.home.joinpath(path).write_text(text)

    def tried(self, *flags, **variables):
        """What doctor tells of the places it tried, the first first."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        ended = subprocess.run([CORDON, "doctor", "--json", *map(str, flags)], capture_output=True, text=True, timeout=LIMIT,
                               env={**kept, "HOME": str(self.home), **{name: str(value) for name, value in variables.items()}})
        return json.loads(ended.stdout)["tried"]

    def taken(self, source, *flags, **variables):
        """The one place that was taken, which is the first."""
        first, *others = self.tried(*flags, **variables)
        self.assertEqual((first["source"], first["taken"], first["outcome"]), (source, True, "podman 4.3.1, rootless"))
        self.assertEqual({each["outcome"] for each in others}, {"not tried: %s was taken" % source} if others else set())
        return first["url"]

    def refused(self, *words, flags=(), **variables):
        first, *others = self.tried(*flags, **variables)
        self.assertFalse(first["taken"], first)
        for word in words:
            self.assertIn(word, first["outcome"])
        self.assertEqual({each["taken"] for each in others} | {False}, {False})

    def test_a_path_is_percent_encoded_absolute_and_short(self):
        engine = UnixEngine(self.home / "a b%")
        self.addCleanup(engine.close)
        url = "unix://%s/a%%20b%%25" % self.home
        self.assertEqual(self.taken("--runtime-socket", "--runtime-socket", url), url)
        self.assertEqual(self.taken("CONTAINER_HOST", CONTAINER_HOST=url), url)
        self.refused("must be absolute", "unix:///x/s", flags=("--runtime-socket", "unix://x/s"))
        self.refused("has 108 bytes; the system allows 107", flags=("--runtime-socket", "unix:///" + "x" * 107))

    def test_tls_with_a_client_s_certificate_by_flags(self):
        flags = ("--runtime-tls-ca", self.keys / "ca.pem", "--runtime-tls-cert", self.keys / "cert.pem", "--runtime-tls-key", self.keys / "key.pem")
        url = "https://127.0.0.1:%d" % self.tls.port
        for said in (url, url.replace("https", "tcp")):
            self.assertEqual(self.taken("--runtime-socket", "--runtime-socket", said, *flags), url)
        self.refused("127.0.0.1", flags=("--runtime-socket", url, *flags[:2]))  # no certificate
        self.refused("SSL certificate problem", flags=("--runtime-socket", url, *flags[2:]))  # an authority that nobody knows
        other = "https://localhost:%d" % self.tls.port  # a name that the certificate does not have
        self.refused("localhost", "name", flags=("--runtime-socket", other, *flags))
        self.assertEqual(self.taken("--runtime-socket", "--runtime-socket", other, *flags, "--runtime-tls-verify", 0), other)

    def test_tls_over_ipv6(self):
        engine = TlsEngine(self.keys, "::1")
        self.addCleanup(engine.close)
        self.assertEqual(self.taken("DOCKER_HOST", DOCKER_HOST="tcp://[::1]:%d" % engine.port, DOCKER_TLS_VERIFY=1, DOCKER_CERT_PATH=self.keys),
                         "https://[::1]:%d" % engine.port)

    def test_docker_host(self):
        variables = {"DOCKER_HOST": "127.0.0.1:%d" % self.tls.port, "DOCKER_TLS_VERIFY": 1}
        self.taken("DOCKER_HOST", **variables, DOCKER_CERT_PATH=self.keys)
        self.refused("there is no ca.pem", **variables, DOCKER_CERT_PATH=self.home)
        for name in PEM:
            self.write(".docker/" + name, (self.keys / name).read_text())
        self.taken("DOCKER_HOST", **variables)

    def test_docker_contexts(self):
        digest = hashlib.sha256(b"far").hexdigest()
        self.write("d/contexts/meta/%s/meta.json" % digest, json.dumps(
            {"Name": "far", "Metadata": {}, "Endpoints": {"docker": {"Host": "tcp://127.0.0.1:%d" % self.tls.port, "SkipTLSVerify": False}}}))
        for name in PEM:
            self.write("d/contexts/tls/%s/docker/%s" % (digest, name), (self.keys / name).read_text())
        folder = self.home / "d"
        self.taken('DOCKER_CONTEXT "far"', DOCKER_CONFIG=folder, DOCKER_CONTEXT="far")
        self.refused("no context", DOCKER_CONFIG=folder, DOCKER_CONTEXT="near")
        self.write("d/config.json", '{"currentContext": "far"}')
        self.taken('Docker context "far"', DOCKER_CONFIG=folder)
        self.refused("there is no", DOCKER_CONFIG=folder, DOCKER_HOST="tcp://127.0.0.1:%d" % self.tls.port, DOCKER_TLS_VERIFY=1,
                     DOCKER_CERT_PATH=folder)  # overrules the context, and is an error

    def test_podman_connections(self):
        url = "tcp://127.0.0.1:%d" % self.tls.port
        ca, cert, key = (str(self.keys / name) for name in PEM)
        self.write(".config/containers/podman-connections.json", json.dumps({"Connection": {"Default": "far", "Connections": {
            "far": {"URI": url, "TLSCA": ca, "TLSCert": cert, "TLSKey": key}, "bare": {"URI": url}}}}))
        self.taken('podman\'s default connection "far"')
        self.refused("127.0.0.1", CONTAINER_CONNECTION="bare")
        self.write(".config/containers/podman-connections.json", "{}")
        self.write(".config/containers/containers.conf.d/1.conf", '[engine]\nactive_service = "old"\n[engine.service_destinations.old]\nuri = "%s"\n'
                   'tls_ca = "%s"\ntls_cert = "%s"\ntls_key = "%s"\n' % (url, ca, cert, key))
        self.taken('podman\'s default connection "old"')
        self.write(".config/containers/containers.conf.d/2.conf", "[engine")
        self.refused("containers.conf.d/2.conf:1")


if __name__ == "__main__":
    unittest.main()
