"""An engine behind TLS with which something is wrong: what it is, and what to do, is said; nothing asks, waits or is let through. The engine is
real, TLS is OpenSSL's (socat) as one puts it before a podman, and dockerd's own. with_engine [--docker] -- python3 test_tls.py"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from certificates import Authority, joined  # noqa: E402
from cordon_client import CORDON, LIMIT, ROOT, Cordon, Engine, until  # noqa: E402
from registry import free_port  # noqa: E402

FLAGS = os.environ["CORDON_ENGINE_FLAGS"].split()
SERVER = ("subjectAltName=IP:127.0.0.1,IP:::1,DNS:engine.example", "extendedKeyUsage=serverAuth")
CLIENT = ("extendedKeyUsage=clientAuth",)
NEW_PAIR = "--runtime-tls-cert and --runtime-tls-key, signed by the engine's own CA"


def setUpModule():
    global folder, ca, server, client, other
    held = tempfile.TemporaryDirectory(prefix="cordon-tls-")
    unittest.addModuleCleanup(held.cleanup)
    folder = pathlib.Path(held.name)
    ca, other = Authority(folder, "ca"), Authority(folder, "other")
    server, client = ca.sign("server", *SERVER), ca.sign("client", *CLIENT)


def answers(port, family=socket.AF_INET):
    with socket.socket(family) as asking:
        return asking.connect_ex(("::1" if family == socket.AF_INET6 else "127.0.0.1", port)) == 0


class Case(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="cordon-home-")
        self.addCleanup(self.home.cleanup)

    def socat(self, listen, family=socket.AF_INET):
        """The engine's socket at a port of this host."""
        port = free_port()
        process = subprocess.Popen(["socat", listen % port, "UNIX-CONNECT:" + Engine().path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until(lambda: answers(port, family), limit=LIMIT)
        return port

    def tls(self, pair, more="", host="127.0.0.1", family=socket.AF_INET):
        """The engine behind TLS with this certificate, for clients of ca's; gives its port."""
        kind = "pf=ip6" if family == socket.AF_INET6 else "pf=ip4"
        return self.socat("OPENSSL-LISTEN:%%d,bind=%s,%s,fork,reuseaddr,backlog=64,verify=1,cafile=%s,cert=%s,key=%s%s" % (
            host, kind, ca.file, *pair, more), family)

    def flags(self, ca_file=None, pair=None):
        return ["--runtime-tls-ca", str(ca_file or ca.file)] + [word for two in zip(("--runtime-tls-cert", "--runtime-tls-key"), pair or client)
                                                                for word in map(str, two)]

    def cordon(self, *words):
        environment = {**os.environ, "HOME": self.home.name, "MCP_BRIDGE_STATE_DIR": self.home.name + "/state"}
        return subprocess.run([CORDON, *map(str, words)], input="print(6 * 7)", capture_output=True, text=True, timeout=LIMIT * 3, env=environment)

    def works(self, url, *flags):
        ended = self.cordon("exec", "-", "--runtime-socket", url, *flags)
        self.assertEqual((ended.returncode, ended.stdout), (0, "42\n"), ended.stderr)

    def refused(self, url, flags, *words):
        ended = self.cordon("exec", "-", "--runtime-socket", url, *flags)
        self.assertEqual((ended.returncode, ended.stdout), (125, ""), ended.stderr)
        for word in words:
            self.assertIn(word, ended.stderr)


class OurFiles(Case):
    """No connection is tried."""

    def check(self, flags, *words):
        self.refused("https://127.0.0.1:1", flags, "TLS: ", *words)

    def test_a_file_that_is_missing_or_something_else(self):
        odd = folder / "odd"
        odd.write_text("odd\n")
        cert, key = client
        for flags, path, words in (
                (self.flags(folder / "none"), folder / "none", "no such file"),
                (self.flags(folder), folder, "not a file"),
                (self.flags(odd), odd, "there is no certificate in it"),
                (self.flags(pair=(folder / "none", key)), folder / "none", "no such file"),
                (self.flags(pair=(cert, folder / "none")), folder / "none", "no such file"),
                (self.flags(pair=(odd, key)), odd, "there is no certificate in it"),
                (self.flags(pair=(cert, odd)), odd, "there is no key in it"),
                (self.flags(pair=(key, cert)), key, "BEGIN CERTIFICATE"),
                (self.flags(pair=(cert, server[1])), server[1], "the key is not that of the certificate in %s" % cert)):
            with self.subTest(words, path=path):
                self.check(flags, "%s: " % path, words)

    @unittest.skipIf(os.getuid() != 0, "needs root: another user's file")
    def test_a_file_that_may_not_be_read(self):
        secret = folder / "secret"
        secret.touch(0o600)
        os.chmod(self.home.name, 0o777)
        os.chmod(folder, 0o755)
        binary = pathlib.Path(self.home.name, "cordon")
        binary.write_bytes(pathlib.Path(CORDON).read_bytes())
        binary.chmod(0o755)
        ended = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", binary, "exec", "-", "--runtime-socket", "https://127.0.0.1:1",
                                *self.flags(secret)], input="", capture_output=True, text=True, timeout=LIMIT,
                               env={**os.environ, "HOME": self.home.name, "MCP_BRIDGE_STATE_DIR": self.home.name + "/state"})
        self.assertIn("TLS: %s: Permission denied" % secret, ended.stderr)

    def test_a_key_with_a_passphrase_asks_nobody(self):
        locked = ca.lock(client[1], "locked.key")
        flags = self.flags(pair=(client[0], locked))
        self.check(flags, "%s: the key is locked with a passphrase" % locked, "openssl pkey")
        # as a server, whose stdin is its client's: what comes there is no passphrase, and the answer is not a prompt
        with Cordon("--runtime-socket", "https://127.0.0.1:1", *flags) as cordon:
            result = cordon.run("print(1)")
            self.assertEqual(result.status, "refused", result)
            self.assertIn("locked with a passphrase", result.text)
            self.assertEqual((cordon.not_json, "pass phrase" in cordon.log()), ([], False))


class OpenSsl(Case):
    def test_the_client_s_certificate(self):
        port = self.tls(server)
        url = "https://127.0.0.1:%d" % port
        middle = Authority(folder, "middle", ca)
        leaf, key = middle.sign("below", *CLIENT)
        self.works(url, *self.flags())
        self.works(url, *self.flags(pair=(joined(folder / "chain.pem", leaf, middle.file), key)))
        expired = ca.sign("expired", *CLIENT, days=-1)
        self.refused(url, self.flags(pair=expired), "the client's certificate %s expired on " % expired[0], "a new certificate")
        for pair in (other.sign("foreign", *CLIENT), ca.sign("not-for-clients", "extendedKeyUsage=serverAuth"), (leaf, key)):
            with self.subTest(pair):
                self.refused(url, self.flags(pair=pair), "signed by the engine's own CA")
        self.refused(url, self.flags()[:2], NEW_PAIR)
        self.refused("tcp://127.0.0.1:%d" % port, [], "write https:// instead of tcp://")

    def test_the_engine_s_certificate(self):
        middle = Authority(folder, "between", ca)
        leaf, key = middle.sign("engine", *SERVER)
        self.works("https://127.0.0.1:%d" % self.tls((joined(folder / "engine-chain.pem", leaf, middle.file), key)), *self.flags())
        at = lambda pair: "https://127.0.0.1:%d" % self.tls(pair)
        self.refused(at((leaf, key)), self.flags(), "the engine's own file must hold its certificate, too")
        self.refused(at(ca.sign("old", *SERVER, days=-1)), self.flags(), "certificate has expired", "renew it on the engine's host")
        url = at(ca.sign("named", "subjectAltName=DNS:engine.example"))
        self.refused(url, self.flags(), "use a name or address that the certificate has", url[len("https://"):] + " </dev/null")
        self.refused(at(server), self.flags(other.file), "--runtime-tls-ca with the CA that signed it")

    def test_one_that_is_not_checked_is_taken_and_doctor_warns(self):
        own = Authority(folder, "own")
        url = "https://127.0.0.1:%d" % self.tls((own.file, folder / "own.key"))
        self.refused(url, self.flags(), "--runtime-tls-ca with the CA that signed it")
        self.works("https://127.0.0.1:%s" % url.rsplit(":", 1)[1], *self.flags(), "--runtime-tls-verify", "0")
        told = self.cordon("doctor", "--runtime-socket", url, *self.flags(), "--runtime-tls-verify", "0").stdout
        self.assertIn("ADVICE   the engine's certificate is not checked", told)
        report = self.cordon("doctor", "--json", "--runtime-socket", "https://127.0.0.1:%d" % self.tls(server), *self.flags())
        self.assertNotIn("not checked", report.stdout)
        self.assertTrue(json.loads(report.stdout)["tried"][0]["taken"])

    def test_addresses(self):
        port = self.tls(server, host="[::1]", family=socket.AF_INET6)
        self.works("https://[::1]:%d" % port, *self.flags())
        self.works("tcp://[0:0:0:0:0:0:0:1]:%d" % port, *self.flags())
        self.refused("https://[::ffff:127.0.0.1]:%d" % self.tls(server), self.flags(), "use a name or address that the certificate has", "[::ffff:127.0.0.1]")

    def test_old_tls_and_none(self):
        url = "https://127.0.0.1:%d" % self.tls(server, ",openssl-max-proto-version=TLS1.1,cipher=ALL@SECLEVEL=0")
        self.refused(url, self.flags(), "one that speaks TLS 1.2")
        port = self.socat("TCP-LISTEN:%d,bind=127.0.0.1,fork,reuseaddr,backlog=64")
        self.works("tcp://127.0.0.1:%d" % port)
        self.refused("https://127.0.0.1:%d" % port, self.flags(), "give the engine TLS at that port")


@unittest.skipUnless("--docker" in FLAGS, "this engine is no Docker")
class Dockerd(Case):
    """dockerd's own TLS, which is Go's: other words for the same."""

    def restart(self, arguments):
        done = subprocess.run([ROOT / "scripts" / "engine", "restart", *FLAGS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "CORDON_ENGINE_DOCKERD": arguments})
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_client_s_certificate(self):
        port, seen = free_port(), pathlib.Path(Engine().path).parent  # by one of another release, too
        files = [seen / each.name for each in (ca.file, *server)]
        for each in files:
            each.write_bytes((folder / each.name).read_bytes())
            self.addCleanup(each.unlink)
        self.addCleanup(self.restart, "")
        self.restart("--host tcp://127.0.0.1:%d --tlsverify --tlscacert %s --tlscert %s --tlskey %s" % (port, *files))
        url = "https://127.0.0.1:%d" % port
        self.works(url, *self.flags())
        expired = ca.sign("expired", *CLIENT, days=-1)
        self.refused(url, self.flags(pair=expired), "the client's certificate %s expired on " % expired[0], "a new certificate")
        for pair in (other.sign("foreign", *CLIENT), ca.sign("not-for-clients", "extendedKeyUsage=serverAuth")):
            with self.subTest(pair):
                self.refused(url, self.flags(pair=pair), "signed by the engine's own CA")
        self.refused(url, self.flags()[:2], NEW_PAIR)
        self.refused("tcp://127.0.0.1:%d" % port, [], "write https:// instead of tcp://")


if __name__ == "__main__":
    unittest.main()
