"""The MCP server library, by suites and clients that nobody of us wrote: the conformance suite, the official SDK's clients, the Inspector.

CORDON_FIXTURE is the fixture server, CORDON_BINARY Cordon itself, CORDON_NPM the folder of the packages in package.json.
"""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_http import Client, HttpCordon  # noqa: E402

HERE = pathlib.Path(__file__).parent
FIXTURE = os.environ["CORDON_FIXTURE"]
CORDON = os.environ["CORDON_BINARY"]
NPM = pathlib.Path(os.environ["CORDON_NPM"])
NODE = NPM / "node" / "bin" / "node"  # Node 22: the suites need it, whatever the host has
ENV = {"HOME": tempfile.gettempdir(), "PATH": f"{NODE.parent}:/usr/bin:/bin", "CORDON_NPM": str(NPM), "CORDON_FIXTURE": FIXTURE}


def node(*arguments, timeout=300, cwd=None):
    done = subprocess.run([NODE, *arguments], env=ENV, cwd=cwd, timeout=timeout, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class HttpFixture:
    """The fixture on a free port of loopback."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([FIXTURE, "--port", "0", *flags], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url, self.tls = f"http://127.0.0.1:{self.port}/mcp", "--cert" in flags

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(20)
        self.process.stdout.close()
        assert code == 0, f"the fixture ended with {code}"


class Conformance(unittest.TestCase):
    """Every scenario that a revision requires passes.

    Not required, and not offered: tasks (server-side work that outlives its request: a run is bounded by minutes), x-mcp-header (no argument of
    ours is for a proxy to see), SSE polling (there is no stream but an answer's).
    """

    def requirements(self, revision, scenarios):
        with HttpFixture() as fixture, tempfile.TemporaryDirectory() as folder:
            code, output = node(NPM / ".bin" / "conformance", "server", "--url", fixture.url, "--requirements", revision, cwd=folder)
        passed = [line for line in output.splitlines() if re.match(r"✓ \S+: \d+ passed, 0 failed", line)]
        self.assertEqual(code, 0, output)
        self.assertGreaterEqual(len(passed), scenarios, output)

    def test_2025_11_25(self):
        self.requirements("2025-11-25", 30)

    def test_2026_07_28(self):
        self.requirements("2026-07-28", 37)

    def test_what_is_not_scored_but_offered(self):
        for version, scenario, checks in (("2025-11-25", "json-schema-2020-12", 8), ("2025-11-25", "server-session-lifecycle", 3),
                                          ("2026-07-28", "http-header-validation", 1)):
            with self.subTest(scenario), HttpFixture() as fixture, tempfile.TemporaryDirectory() as folder:
                code, output = node(NPM / ".bin" / "conformance", "server", "--url", fixture.url, "--scenario", scenario, "--spec-version", version, cwd=folder)
                self.assertEqual(code, 0, output)
                found = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", output)
                self.assertTrue(found and found[1] == found[2] and int(found[1]) >= checks, output)


class Sdk(unittest.TestCase):
    def test_clients_of_both_generations(self):
        code, output = node("--test", "--test-reporter=spec", str(HERE / "mcp_server_sdk.mjs"))
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"skipped 0")


class Inspector(unittest.TestCase):
    """The Inspector's command line, in both eras, over both transports."""

    def inspect(self, target, era, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            code, output = node(NPM / ".bin" / "mcp-inspector", "--cli", *target, "--protocol-era", era, *arguments, cwd=folder)
        self.assertEqual(code, 0, output)
        return output

    def check(self, target, era):
        listed = self.inspect(target, era, "--method", "tools/list")
        self.assertIn("test_simple_text", listed)
        called = self.inspect(target, era, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=hello")
        self.assertIn("hello", called)
        read = self.inspect(target, era, "--method", "resources/read", "--uri", "test://static-text")
        self.assertIn("static text resource", read)

    def test_stdio(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                self.check((FIXTURE, "--stdio"), era)

    def test_http(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era), HttpFixture() as fixture:
                self.check((fixture.url, "--transport", "http"), era)

    def test_load(self):
        for era in ("legacy", "modern"):
            with HttpFixture() as fixture:
                for target in ((FIXTURE, "--stdio"), (fixture.url, "--transport", "http")):
                    with self.subTest(era=era, target=target):
                        output = self.inspect(target, era, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=x",
                                              "--load", "--load-requests", "500")
                        self.assertRegex(output, r'"ok": 500\b')


class Cordon(unittest.TestCase):
    """`cordon serve --http` itself; nothing here needs an engine."""

    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)

    def start(self, *flags):
        cordon = HttpCordon(*flags, home=self.home.name)
        self.addCleanup(cordon.close)
        return cordon

    def status(self, cordon, token):
        opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
        return Client(cordon, token=token).post(json.dumps(opening)).status

    def test_token_is_made_once_kept_for_the_user_alone_and_asked_for(self):
        cordon = self.start()
        token = cordon.token
        self.assertIn(token, cordon.said)
        self.assertEqual(next(pathlib.Path(self.home.name).rglob("http-token")).stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.status(cordon, token), self.status(cordon, token[:-1]), self.status(cordon, "")), (200, 401, 401))
        cordon.close()
        cordon = self.start()
        self.assertEqual(self.status(cordon, token), 200)
        self.assertNotIn(token, cordon.said)

    def test_a_token_file_that_others_could_read_is_replaced(self):
        cordon = self.start()
        file, old = next(pathlib.Path(self.home.name).rglob("http-token")), cordon.token
        cordon.close()
        file.chmod(0o644)
        self.assertEqual((self.status(self.start(), old), file.stat().st_mode & 0o777), (401, 0o600))

    def test_no_token_is_for_loopback_only(self):
        for address in ("0.0.0.0:0", "[::]:0"):
            done = subprocess.run([CORDON, "serve", "--http", address, "--http-no-token"], env={"HOME": self.home.name}, text=True,
                                  stderr=subprocess.PIPE, timeout=30)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("loopback", done.stderr)

    # Checks that Cordon cannot pass, by scenario: it offers no prompts, and only the fixture has the suite's own tools. All others pass.
    IMPOSSIBLE = {
        "caching": {"PromptsListCachingHints"},
        "server-stateless": {"ServerRejectsUndeclaredCapability", "MissingCapabilityHttp400",
                             "HttpServerNoIndependentRequestsOnStream", "ServerNoLogWithoutLogLevel"},
    }

    def test_conformance_of_what_needs_no_fixture(self):
        legacy = ["server-initialize", "ping", "tools-list", "resources-list", "server-session-lifecycle", "dns-rebinding-protection"]
        modern = ["server-stateless", "tools-list", "resources-list", "caching", "sep-2164-resource-not-found",
                  "dns-rebinding-protection", "http-header-validation"]
        url = self.start("--http-no-token").url
        for version, scenarios in (("2025-11-25", legacy), ("2026-07-28", modern)):
            for scenario in scenarios:
                with self.subTest(version=version, scenario=scenario), tempfile.TemporaryDirectory() as folder:
                    _, output = node(NPM / ".bin" / "conformance", "server", "--url", url, "--scenario", scenario,
                                     "--spec-version", version, cwd=folder)
                    self.assertRegex(output, r"Passed: [1-9]", output)
                    failed = set(re.findall(r"^  - (\w+): ", output, re.MULTILINE))
                    self.assertEqual(failed, self.IMPOSSIBLE.get(scenario, set()), output)


class Tls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.cert, self.key = folder.name, f"{folder.name}/cert.pem", f"{folder.name}/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", self.cert, "-keyout", self.key],
                       check=True, stderr=subprocess.DEVNULL)

    def check(self, server):
        opening = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
        answer = Client(server, cafile=self.cert).post(opening)
        self.assertEqual(answer.last["result"]["protocolVersion"], "2025-11-25")
        self.assertRegex(answer.headers["Mcp-Session-Id"], r"^[0-9a-f]{32}$")
        server.tls = False
        with self.assertRaises((OSError, http.client.HTTPException)):
            Client(server).post(opening)

    def test_serves_over_tls_and_plain_text_gets_nothing(self):
        with HttpFixture("--cert", self.cert, "--key", self.key) as fixture:
            self.check(fixture)

    def test_cordon_does_by_tls_cert_and_tls_key(self):
        with HttpCordon("--http-no-token", "--tls-cert", self.cert, "--tls-key", self.key, host="localhost") as cordon:
            self.assertTrue(cordon.tls)
            self.check(cordon)

    def test_one_of_them_alone_or_without_http_is_refused_and_said(self):
        for flags, words in ((("--http", "localhost:0", "--tls-cert", self.cert), "go together"),
                             (("--http", "localhost:0", "--tls-key", self.key), "go together"),
                             (("--tls-cert", self.cert, "--tls-key", self.key), "--runtime-tls-cert")):
            done = subprocess.run([CORDON, "serve", *flags], env={"HOME": self.folder}, text=True, stdin=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, timeout=30)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)

    def test_files_that_cannot_serve_are_said_and_no_passphrase_is_asked_for(self):
        locked, other = self.folder + "/locked.pem", self.folder + "/other.pem"
        subprocess.run(["openssl", "pkey", "-in", self.key, "-aes256", "-passout", "pass:secret", "-out", locked], check=True)
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", other], check=True)
        for cert, key, words in ((self.cert, locked, locked + ": the key is locked with a passphrase"),
                                 (self.cert, other, other + ": the key is not that of the certificate"),
                                 (self.cert, self.folder + "/none", "none: no such file"),
                                 (self.key, self.key, self.key + ": there is no certificate in it")):
            done = subprocess.run([CORDON, "serve", "--http", "localhost:0", "--http-no-token", "--tls-cert", cert, "--tls-key", key],
                                  env={"HOME": self.folder}, text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=30)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("TLS: ", done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
