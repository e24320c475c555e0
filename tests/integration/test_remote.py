"""An engine on another host, in the sense that counts (far_host.py): by TLS with client certificates, over 50 ms each way, with the way cut in
mid-run and back, and the far service restarted. Nothing is lost without being said, nothing is left running past its deadline, and a warm
call costs one round trip."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, Cordon, Result, npm_server, until  # noqa: E402
from far_host import FAR, PORT, UNKNOWN, FarHost  # noqa: E402
from lab_host import LabHost  # noqa: E402
from registry import make_certificate  # noqa: E402

PATIENT = LIMIT * 3
FLAGS = os.environ.get("CORDON_ENGINE_FLAGS", "").split()
BEGIN = "print('begun', flush=True)\nawait mcp_files.write_file(path=%r, content='')\n"
SLEEP = "import time; time.sleep(600)"

far = None  # one for all tests; what a test breaks it mends


def setUpModule():
    global far
    if os.getuid() != 0:
        raise unittest.SkipTest("needs root: the far host is made of namespaces, or is a lab guest")
    far = LabHost() if "CORDON_LAB" in os.environ else FarHost(*FLAGS)
    unittest.addModuleCleanup(far.close)


class Case(unittest.TestCase):
    """One Cordon for all tests of a class."""

    @staticmethod
    def flags():
        return []

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cordon-remote-")
        cls.addClassCleanup(cls.folder.cleanup)
        servers = {"files": npm_server("@modelcontextprotocol/server-filesystem", cls.folder.name),
                   "memory": npm_server("@modelcontextprotocol/server-memory", env={"MEMORY_FILE_PATH": cls.folder.name + "/memory.json"})}
        cls.cordon = Cordon(*far.reach(), *cls.flags(), servers=servers, env=far.settings, wrapper=far.enter("near"))
        cls.addClassCleanup(cls.end)

    @classmethod
    def end(cls):
        instances = cls.cordon.instances()
        try:
            assert cls.cordon.end(LIMIT) == 0, cls.cordon.log()
            until(lambda: not [name for each in instances for name in far.engine.containers("io.cordon.instance=" + each)], limit=LIMIT)
        finally:
            cls.cordon.close()

    def check(self, code, **arguments):
        result = self.cordon.run(code, limit=PATIENT, **arguments)
        self.assertEqual(result.status, "success", result)
        return result.text

    def rest(self):
        """Waits until there is but the one container that the next run will get; gives its name in a set."""
        self.check("pass")
        seen = []

        def steady():  # the last run's own goes within a second, and for a moment it may be the only one
            seen.append(self.here())
            return len(seen[-1]) == 1 and all(each == seen[-1] for each in seen[-8:]) and len(seen) >= 8 and seen[-1]
        return until(steady, limit=PATIENT, every=0.25)

    def begin(self, code, **arguments):
        """Starts a run; gives its future and its container, once its code is under way."""
        mine = self.rest()
        future = self.start(code, **arguments)
        self.assertLessEqual(mine, self.here())
        return future, mine

    def start(self, code, **arguments):
        sign = pathlib.Path(self.folder.name, "begun")
        sign.unlink(missing_ok=True)
        future = self.cordon.start_run(BEGIN % str(sign) + code, **arguments)[1]
        until(sign.exists, limit=PATIENT)
        return future

    def here(self):
        return set(self.cordon.containers(far.engine))

    def gone(self, names):
        until(lambda: not names & self.here(), limit=PATIENT, every=0.2)

    def ends(self, future, *words, status="error"):
        """A run that began, and of which the answer says what became of it, and what it had said until then."""
        result = Result(future.result(PATIENT))
        self.assertTrue(result.is_error, result)
        self.assertEqual(result.status, status, result)
        for word in (*words, "begun"):
            self.assertIn(word, result.text)


class Remote(Case):
    def test_first_light(self):
        text = self.check("import os\nawait mcp_files.write_file(path=%r, content='from afar')\n"
                          "await mcp_memory.create_entities(entities=[{'name': 'n', 'entityType': 't', 'observations': [os.uname().nodename]}])\n"
                          "print((await mcp_memory.read_graph())['entities'][0]['observations'])" % (self.folder.name + "/a"))
        self.assertEqual(text, "['sandbox']\n")
        self.assertEqual(pathlib.Path(self.folder.name, "a").read_text(), "from afar")
        failed = self.cordon.run("print('before')\n1/0")
        self.assertIn("ZeroDivisionError", failed.text)
        self.assertIn("before", failed.text)
        large = "x = %r\nimport sys\nsys.stdout.write(x[:1 << 14])\nprint(len(x))" % ("a" * (1 << 20))
        self.assertEqual(self.check(large), "a" * (1 << 14) + "%d\n" % (1 << 20))

    def test_a_deadline_and_a_cancelled_call_leave_nothing(self):
        future, names = self.begin(SLEEP, timeout=8)
        self.ends(future, "timed out after 8 s", status="timeout")
        self.gone(names)
        future, names = self.begin(SLEEP, timeout=100)
        self.cordon.notify("notifications/cancelled", {"requestId": self.cordon.next_id})
        self.gone(names)
        self.assertFalse(future.done())

    def test_a_short_cut_costs_nothing(self):
        future = self.begin("import time\nfor i in range(60):\n    print(i, flush=True)\n    time.sleep(0.1)", timeout=100)[0]
        far.link("cut")
        self.addCleanup(far.mend)
        self.assertRaises(TimeoutError, future.result, 4)
        far.link("whole")
        self.assertEqual(Result(future.result(PATIENT)).text, "begun\n" + "".join("%d\n" % i for i in range(60)))

    def test_the_far_service_is_restarted_in_mid_run(self):
        for how in ([], ["--crash"]):
            future, names = self.begin(SLEEP, timeout=100)
            far.restart(*how)
            self.ends(future, "the container ended before the code did")
            self.assertEqual(self.check("print(4)"), "4\n")
            self.gone(names)

    def test_connections_are_reset_in_mid_run(self):
        future, names = self.begin(SLEEP, timeout=100)
        far.reset()
        self.addCleanup(far.mend)
        self.ends(future, "the container ended before the code did", far.url())
        self.gone(names)
        refused = self.cordon.run("print(1)", limit=PATIENT)
        self.assertEqual(refused.status, "refused", refused)
        self.assertIn(far.url(), refused.text)
        far.mend()
        self.assertEqual(self.check("print(5)"), "5\n")


class RoundTrips(Case):
    @staticmethod
    def flags():
        return far.alone

    def warm_call(self):
        """How many round trips a call took that got nothing but the connection of its container; 0 where it needed more, since its
        container was not warm."""
        self.rest()
        far.hold()
        far.tell("events")
        future = self.cordon.start_run("print(6 * 7)")[1]
        try:
            until(future.done, limit=3)
            events = far.tell("events")
        except AssertionError:
            events = []
        far.tell("open")
        self.assertEqual(Result(future.result(PATIENT)).text, "42\n")
        ways = [way for connection, way in events if connection == events[0][0]]
        return sum(1 for pair in zip(ways, ways[1:]) if pair == ("up", "down"))

    def test_a_warm_call_costs_one_round_trip(self):
        self.addCleanup(far.tell, "open")
        turns = []
        until(lambda: turns.append(self.warm_call()) or len([each for each in turns if each > 0]) >= 3, limit=PATIENT)
        self.assertEqual(min(each for each in turns if each > 0), 1, turns)  # a heartbeat may fall into one of them


class ColdCalls(unittest.TestCase):
    def test_all_requests_of_a_cold_call_share_a_connection_and_its_stream_has_one(self):
        far.tell("events")
        with tempfile.TemporaryDirectory(prefix="cordon-home-") as home:
            environment = {**os.environ, **far.settings, "HOME": home, "MCP_BRIDGE_STATE_DIR": home + "/state"}
            done = subprocess.run([*far.enter("near"), CORDON, "exec", "-", *far.reach()], input="print(6 * 7)", capture_output=True,
                                  text=True, timeout=PATIENT, env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        ways = {}
        for connection, way in far.tell("events"):
            ways.setdefault(connection, []).append(way)
        made = [each for each in ways.values() if each[0] == "up"]  # not the end of an earlier one
        self.assertEqual(len(made), 2, ways)


class Cuts(Case):
    """As long as it takes until both sides have given each other up."""

    def test_a_long_cut_in_mid_run(self):
        long = self.begin(SLEEP, timeout=100)[0]
        until(lambda: len(self.here()) == 2, limit=PATIENT)
        short = self.start(SLEEP, timeout=10)
        names = self.here()
        far.link("cut")
        self.addCleanup(far.mend)
        self.ends(short, "timed out after 10 s", "the way to it is cut", status="timeout")
        self.ends(long, "the container ended before the code did", far.url())
        # with nobody to end or remove them; one that was only being made has nothing that runs, and stays till the link is back
        until(lambda: not [name for name in names if far.engine.processes(name)], limit=PATIENT, every=0.2)
        self.assertEqual(self.cordon.run("print(1)", limit=PATIENT).status, "refused")
        far.link("whole")
        self.assertEqual(self.check("print(3)"), "3\n")
        self.gone(names)


    def test_the_end_of_a_cordon_whose_way_is_cut(self):
        self.begin(SLEEP, timeout=100)
        until(lambda: len(self.here()) == 2, limit=PATIENT)
        names, instance = self.here(), "io.cordon.instance=" + self.cordon.instances()[0]
        far.link("cut")
        self.addCleanup(far.mend)
        self.assertEqual(self.cordon.end(PATIENT), 0)
        until(lambda: not [name for name in names if far.engine.processes(name)], limit=PATIENT, every=0.2)
        far.mend()
        with Cordon(*far.reach(), env=far.settings, wrapper=far.enter("near")) as other:
            self.assertEqual(other.run("print(6)", limit=PATIENT).text, "6\n")
            # what was only being made, or is made now by a request that was under way, is for its janitor
            until(lambda: not far.engine.containers(instance), limit=PATIENT, every=0.2)


class Refusals(unittest.TestCase):
    def refused(self, *flags):
        with tempfile.TemporaryDirectory(prefix="cordon-home-") as home:
            environment = {**os.environ, **far.settings, "HOME": home, "MCP_BRIDGE_STATE_DIR": home + "/state"}
            ended = subprocess.run([*far.enter("near"), CORDON, "exec", "-", *flags], input="print(1)", capture_output=True, text=True,
                                   timeout=PATIENT, env=environment)
        self.assertEqual((ended.returncode, ended.stdout), (125, ""), ended.stderr)
        return ended.stderr

    def test_who_has_no_certificate_and_whom_we_do_not_know(self):
        url, tls = ["--runtime-socket", far.url()], far.tls()
        with tempfile.TemporaryDirectory(prefix="cordon-remote-") as folder:
            make_certificate(folder, "IP:" + FAR)
            ca, cert, key = (folder + name for name in ("/ca.pem", "/cert.pem", "/key.pem"))
            ours = far.tls_files()
            for flags, words in (
                    ([*url, *tls[:2]], "--runtime-tls-cert and --runtime-tls-key, signed by the engine's own CA"),
                    ([*url, *far.tls([ours[0], cert, key])], "--runtime-tls-cert and --runtime-tls-key, signed by the engine's own CA"),
                    ([*url, *tls[2:]], "--runtime-tls-ca with the CA that signed it"),
                    ([*url, *far.tls([ca, *ours[1:]])], "--runtime-tls-ca with the CA that signed it"),
                    (["--runtime-socket", far.url(UNKNOWN), *tls], "use a name or address that the certificate has"),
                    (["--runtime-socket", "tcp://%s:%d" % (FAR, PORT), "--allow-plain-tcp"], "https://")):
                said = self.refused(*flags)
                with self.subTest(flags):
                    self.assertIn(words, said)

    def test_a_host_that_cannot_be_reached(self):
        far.link("cut")
        self.addCleanup(far.mend)
        self.assertIn("connect to " + far.url(), self.refused(*far.reach()))
        far.link("whole")
        far.reset()
        self.assertIn("connect to " + far.url(), self.refused(*far.reach()))


if __name__ == "__main__":
    unittest.main()
