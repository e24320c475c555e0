"""The spine, from outside: a client's line on stdin, a real container, real upstream servers, and back."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, Cordon, Engine, NPM, npm_server, until  # noqa: E402

MINI = str(pathlib.Path(__file__).resolve().parents[1] / "fakes" / "mini.py")


class Protocol(unittest.TestCase):
    """What a client hears before any engine or server is touched."""

    def setUp(self):
        self.cordon = Cordon(initialize=False, env={"MCP_BRIDGE_RUNTIME_SOCKET": "unix:///nowhere/at/all.sock"})
        self.addCleanup(self.cordon.close)

    def greet(self):
        self.cordon.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})

    def test_initialize_answers_each_legacy_version_with_itself_and_an_unknown_one_with_the_latest(self):
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            with self.subTest(version), Cordon(version=version) as cordon:
                self.assertEqual(cordon.info["protocolVersion"], version)
        with Cordon(version="1999-01-01") as cordon:
            self.assertEqual(cordon.info["protocolVersion"], "2025-11-25")

    def test_discover_and_a_modern_call(self):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        found = self.cordon.request("server/discover", {"_meta": meta})
        self.assertIn("2026-07-28", found["supportedVersions"])
        self.assertEqual(found["resultType"], "complete")
        tools = self.cordon.request("tools/list", {"_meta": meta})
        self.assertEqual([tool["name"] for tool in tools["tools"]], ["run_python"])
        self.assertIn("ttlMs", tools)

    def test_lists_pings_and_unknown_methods(self):
        self.assertEqual(self.cordon.request("ping"), {})
        self.assertEqual(self.cordon.answer("no/such/method")["error"]["code"], -32601)
        self.greet()
        self.assertEqual([tool["name"] for tool in self.cordon.request("tools/list")["tools"]], ["run_python"])
        uri = "resource://mcp-server-code-execution-mode/capabilities"
        self.assertIn(uri, [each["uri"] for each in self.cordon.request("resources/list")["resources"]])
        self.assertIn("search_tool_docs", self.cordon.request("resources/read", {"uri": uri})["contents"][0]["text"])
        self.assertEqual(self.cordon.answer("resources/read", {"uri": "x://y"})["error"]["code"], -32002)
        self.assertEqual(self.cordon.answer("tools/call", {"name": "nope"})["error"]["code"], -32602)

    def test_a_malformed_line_is_answered_and_the_server_lives_on(self):
        self.cordon.send(b"this is no JSON\n")
        self.cordon.send(b'{"jsonrpc":"2.0","id":[1],"method":"ping"}\n')
        self.assertEqual(self.cordon.request("ping"), {})
        codes = [line["error"]["code"] for line in self.cordon.lines if "error" in line]
        self.assertEqual(sorted(codes), [-32700, -32600])

    def test_no_engine_is_a_clear_result_that_names_what_was_tried(self):
        self.greet()
        result = self.cordon.run("print(1)")
        self.assertTrue(result.is_error)
        self.assertEqual(result.status, "refused")
        self.assertIn("/nowhere/at/all.sock", result.text)
        self.assertEqual(self.cordon.request("ping"), {})

    def test_bad_arguments_are_named_and_nothing_is_started(self):
        self.greet()
        for arguments, words in (({}, "code: missing"), ({"code": 1}, "code: expected the Python source as a string"),
                                 ({"code": "x", "timeout": "soon"}, "timeout: expected a number"), ({"code": "x", "timeout": 0.5}, "from 1 to 120"),
                                 ({"code": "x", "servers": 3}, "servers: expected an array"), ({"code": "x", "servers": ["nope"]}, "nope"),
                                 ({"code": "x", "servers": '["nope"]'}, "nope"), ({"code": "x", "session": 7}, "session: expected"),
                                 ({"code": "#" * (8 << 20) + "#"}, "above the limit")):
            message = self.cordon.answer("tools/call", {"name": "run_python", "arguments": arguments})
            text = message["result"]["content"][0]["text"]
            with self.subTest(words):
                self.assertTrue(message["result"]["isError"])
                self.assertIn(words, text)
        self.assertEqual(self.cordon.instances(), [], "an engine was looked for")

    def test_ends_when_its_input_ends(self):
        self.cordon.request("ping")
        self.assertEqual(self.cordon.end(), 0)
        self.assertEqual(self.cordon.not_json, [])

    def test_a_bad_setting_is_an_error_at_start_that_names_variable_value_and_what_is_allowed(self):
        for name, value, words in (("MCP_BRIDGE_TIMEOUT", "soon", "from 1 to"), ("MCP_BRIDGE_MEMORY", "lots", "512m"),
                                   ("MCP_BRIDGE_OUTPUT_MODE", "yaml", "compact"), ("MCP_BRIDGE_RUNTIME", "lxc", "podman")):
            ended = subprocess.run([CORDON, "serve"], env=dict(os.environ, **{name: value}), stdin=subprocess.DEVNULL, capture_output=True,
                                   text=True, timeout=LIMIT)
            with self.subTest(name):
                self.assertEqual(ended.returncode, 2)
                for part in (name, value, words):
                    self.assertIn(part, ended.stderr)
                self.assertEqual(ended.stdout, "")


class Executions(unittest.TestCase):
    """In real containers."""

    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        cls.cordon = Cordon()

    @classmethod
    def tearDownClass(cls):
        containers = cls.cordon.instances()
        assert cls.cordon.end() == 0
        # on a busy machine the engine is at work on the last removal when we have left
        until(lambda: not [name for instance in containers for name in cls.engine.containers("io.cordon.instance=" + instance)])
        assert cls.cordon.not_json == [], cls.cordon.not_json
        cls.cordon.close()

    def same(self, text, expected):
        if os.environ.get("MCP_BRIDGE_CONFINEMENT") == "report":  # what this engine cannot enforce is said behind it
            text, note, _ = text.partition("[not enforced: ")
            self.assertTrue(note, text)
            expected = expected.rstrip("\n") + "\n"
        self.assertEqual(text, expected)

    def test_output_errors_and_last_value(self):
        result = self.cordon.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7")
        self.assertEqual(result.status, "success", result)
        self.assertFalse(result.is_error)
        self.same(result.text, "out\nstderr:\nerr\n42")
        self.assertIsNone(result.structured)
        failed = self.cordon.run("print('before')\n1/0")
        self.assertTrue(failed.is_error)
        self.assertIn("ZeroDivisionError", failed.text)
        self.assertIn("before", failed.text)
        self.assertEqual(self.cordon.run("import sys; sys.exit(3)").facts["exitCode"], 3)

    def test_calls_run_at_once_and_each_gets_its_own_answer(self):
        runs = [self.cordon.start_run("import time; time.sleep(0.2); print(%d)" % number)[1] for number in range(6)]
        for number, run in enumerate(runs):
            self.same(run.result(LIMIT)["result"]["content"][0]["text"], "%d\n" % number)

    def test_five_mebibytes_of_code(self):
        result = self.cordon.run("x = '" + "a" * (5 << 20) + "'\nprint(len(x))")
        self.same(result.text, "%d\n" % (5 << 20))

    def test_a_timeout_ends_the_run_and_keeps_its_output(self):
        result = self.cordon.run("print('begun', flush=True)\nwhile True: pass", timeout=1)
        self.assertEqual(result.status, "timeout")
        self.assertTrue(result.text.startswith("timed out after 1 s\nbegun"), result)
        longer = self.cordon.run("print(1)", timeout=100000)
        self.assertIn("cut to the maximum of 120 s", longer.text)

    def begin(self, **arguments):
        """A program that has printed `here` and waits: the request's id, and its answer to come."""
        code = "import time\nfrom mcp import runtime\nprint('here', flush=True)\nruntime.progress(1, 2, 'begun')\ntime.sleep(50)"
        return self.cordon.begin_run(code, timeout=60, **arguments)

    def test_a_cancelled_call_is_not_answered_and_leaves_no_container(self):
        number, answer = self.begin()
        before = self.cordon.containers(self.engine)
        self.cordon.notify("notifications/cancelled", {"requestId": number, "reason": "test"})
        self.same(self.cordon.run("print('next')").text, "next\n")
        self.assertFalse(answer.done())
        until(lambda: not set(before) <= set(self.cordon.containers(self.engine)), limit=LIMIT)

    def test_a_container_killed_or_removed_by_somebody_else_is_said(self):
        for end in (self.engine.kill, self.engine.remove):
            known = set(self.cordon.containers(self.engine))
            run = self.begin(session="victim-" + end.__name__)[1]
            for name in set(self.cordon.containers(self.engine)) | known:
                end(name)
            result = run.result(LIMIT)["result"]
            text = result["content"][0]["text"]
            with self.subTest(end.__name__):
                self.assertTrue(result["isError"])
                self.assertIn("the container ended before the code did", text)
                self.assertIn("here", text)
            # what was being made for the next call may have been ended, too
            until(lambda: not self.cordon.run("print('goes on')").is_error, limit=LIMIT)
        self.same(self.cordon.run("print('after')").text, "after\n")


class Start(unittest.TestCase):
    def test_a_second_container_gets_the_guest_as_code_from_the_first(self):
        seen = "import sys; print(len(sys.modules['_cordon.wire'].__spec__.loader.codes) > 0)"
        with Cordon("--pool", "0") as cordon:
            self.assertEqual([cordon.run(seen).text.splitlines()[0] for _ in range(3)], ["False", "True", "True"])


class Images(unittest.TestCase):
    def test_an_image_that_is_not_there_and_cannot_be_pulled_is_named(self):
        with Cordon(env={"CORDON_IMAGE": "localhost:1/no/such-image:1"}) as cordon:
            result = cordon.run("print(1)")
            self.assertEqual(result.status, "refused", result)
            for words in ("localhost:1/no/such-image:1", "could not be pulled", "CORDON_IMAGE"):
                self.assertIn(words, result.text)
            self.assertEqual(cordon.request("ping"), {})
            self.assertEqual(cordon.containers(Engine()), [])


class UpstreamServers(unittest.TestCase):
    """Real servers from npm, behind real containers."""

    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        cls.folder = tempfile.TemporaryDirectory(prefix="cordon-files-")
        pathlib.Path(cls.folder.name, "a.txt").write_text("hello from a file\n")
        cls.cordon = Cordon(servers={
            "filesystem": npm_server("@modelcontextprotocol/server-filesystem", cls.folder.name, description="local files"),
            "memory": npm_server("@modelcontextprotocol/server-memory", env={"MEMORY_FILE_PATH": cls.folder.name + "/memory.json"}),
            "paged": {"command": sys.executable, "args": [MINI, "page"]},
            "broken": {"command": sys.executable, "args": [MINI, "crash"]},
            "absent": {"command": "no-such-command-anywhere"},
            "self": {"command": CORDON, "args": ["serve"]},
            "environment": {"command": sys.executable, "args": [MINI, "ok"], "env": {"MINE": "1"}},
        }, env={"SECRET_OF_THE_HOST": "1"})

    @classmethod
    def tearDownClass(cls):
        children = cls.cordon.children()
        instances = cls.cordon.instances()
        assert cls.cordon.end() == 0, cls.cordon.log()
        until(lambda: not any(pathlib.Path("/proc", str(pid)).exists() for pid in children))
        until(lambda: not [n for i in instances for n in cls.engine.containers("io.cordon.instance=" + i)])
        cls.cordon.close()
        cls.folder.cleanup()

    def check(self, code, **arguments):
        result = self.cordon.run(code, **arguments)
        self.assertEqual(result.status, "success", result)
        return result.text

    def test_two_servers_in_one_program(self):
        text = self.check(
            "text = await mcp_filesystem.read_text_file(path=%r)\n"
            "await mcp_memory.create_entities(entities=[{'name': 'file', 'entityType': 'note', 'observations': [str(text)]}])\n"
            "graph = await mcp_memory.read_graph()\n"
            "print(graph['entities'][0]['observations'])" % (self.folder.name + "/a.txt"))
        self.assertIn("hello from a file", text)

    def test_discovery_from_code(self):
        text = self.check(
            "from mcp import runtime\n"
            "print(sorted(runtime.discovered_servers()))\n"
            "print(len(await runtime.list_tools('filesystem')) > 5)\n"
            "docs = await runtime.query_tool_docs('memory', 'read_graph', detail='full')\n"
            "print(docs[0]['name'] if isinstance(docs, list) else docs['name'])\n"
            "print([doc['name'] for doc in await runtime.search_tool_docs('list the files of a directory', limit=3)])\n"
            "print(isinstance(await runtime.call_tool('memory', 'read_graph', {}), dict))\n"
            "print('search_tool_docs' in runtime.capability_summary())\n"
            "print(mcp_servers['memory'].read_graph.sync()['relations'])", servers=["filesystem", "memory"])
        servers, many, docs, found, is_dict, in_summary, relations = text.splitlines()
        self.assertEqual(servers, "['absent', 'broken', 'environment', 'filesystem', 'memory', 'paged', 'self']")
        self.assertIn("'list_directory'", found)
        self.assertEqual([many, docs, is_dict, in_summary, relations], ["True", "read_graph", "True", "True", "[]"])

    def test_tools_are_listed_to_the_last_page(self):
        self.assertIn("['p0', 'p1', 'p2']", self.check("from mcp import runtime\nprint(sorted(t['name'] for t in await runtime.list_tools('paged')))"))

    def test_servers_that_cannot_start_say_why_and_hurt_nobody(self):
        for name, words in (("broken", "exited with status 3"), ("absent", "no-such-command-anywhere")):
            result = self.cordon.run("from mcp import runtime\nprint(await runtime.list_tools(%r))" % name)
            with self.subTest(name):
                self.assertEqual(result.status, "error")
                self.assertIn(words, result.text)
        self.assertIn("server broken wrote: fatal: config missing", self.cordon.log())
        self.check("print(len(await mcp_memory.read_graph()))")

    def test_ourselves_as_upstream_are_skipped_with_a_reason(self):
        result = self.cordon.run("print(1)", servers=["self"])
        self.assertTrue(result.is_error)
        self.assertIn("CORDON_ALLOW_SELF_SERVER", result.text)

    def test_only_the_call_s_servers_can_be_used(self):
        result = self.cordon.run("await mcp_servers['memory'].read_graph()", servers=["filesystem"])
        self.assertEqual(result.status, "error")
        self.assertIn("memory", result.text)

    def test_servers_get_a_small_environment(self):
        self.check("await mcp_servers['environment'].a() if False else None\nfrom mcp import runtime\nawait runtime.list_tools('environment')")
        environments = [pathlib.Path("/proc", str(pid), "environ").read_bytes() for pid in self.cordon.children()
                        if b"mini.py\x00ok" in pathlib.Path("/proc", str(pid), "cmdline").read_bytes()]
        ours = [each for each in environments if b"MINE=1" in each]
        self.assertTrue(ours)
        for each in ours:
            self.assertNotIn(b"SECRET_OF_THE_HOST", each)
            self.assertIn(b"PATH=", each)


class ListedOnly(unittest.TestCase):
    def test_servers_listed_makes_the_list_necessary(self):
        with Cordon("--servers", "listed", servers={"memory": npm_server("@modelcontextprotocol/server-memory")}) as cordon:
            self.assertEqual(cordon.run("await mcp_servers['memory'].read_graph()").status, "error")
            self.assertEqual(cordon.run("await mcp_servers['memory'].read_graph()", servers=["memory"]).status, "success")


class CommandLine(unittest.TestCase):
    def run_exec(self, code, *flags, stdin=None, limit=LIMIT * 2):
        with tempfile.TemporaryDirectory(prefix="cordon-exec-") as folder:
            file = pathlib.Path(folder, "program.py")
            file.write_text(code)
            return subprocess.run([CORDON, "exec", *flags, "-" if stdin else str(file)], input=stdin, capture_output=True, text=True,
                                  timeout=limit, env=dict(os.environ, HOME=folder, MCP_BRIDGE_STATE_DIR=folder + "/state"))

    def test_exec_gives_output_and_exit_status(self):
        ended = self.run_exec("import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(7)")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr.splitlines()[0]), (7, "out\n", "err"))
        self.assertEqual(self.run_exec("", stdin="print(40 + 2)").stdout, "42\n")
        failed = self.run_exec("raise ValueError('no')")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("ValueError: no", failed.stderr)
        self.assertEqual(self.run_exec("while True: pass", "--timeout", "1").returncode, 124)

    def test_exec_of_much_output_keeps_all_of_it(self):
        # two minutes in a lab guest
        ended = self.run_exec("for i in range(200000): print('line', i)", "--timeout", "500", "--max-timeout", "500", limit=LIMIT * 10)
        self.assertEqual((ended.returncode, len(ended.stdout.splitlines())), (0, 200000), ended.stderr)

    def test_a_runtime_that_the_engine_does_not_take_is_said(self):
        ended = self.run_exec("print('ran')", "--oci-runtime", "runsc", "--confinement", "strict")  # podman 4 and 5 take none and say nothing
        self.assertEqual((ended.returncode, ended.stdout), (125, ""), ended.stderr)
        self.assertIn("runsc", ended.stderr)
        self.assertRegex(ended.stderr, "OCI runtime: asked runsc, the engine says c?run|[Uu]nknown .*runtime")

    def test_exec_names_what_is_wrong_with_its_command_line(self):
        for words, message in ((["exec"], "expected a file"), (["exec", "/no/such/file.py"], "cannot read"), (["exec", "/usr"], "cannot read"),
                               (["exec", "/dev/zero"], "above the limit of 8 MiB"), (["dance"], "no command"),
                               (["serve", "--no-such-flag"], "no-such-flag")):
            ended = subprocess.run([CORDON, *words], capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(message, ended.stderr)

    def test_doctor_says_whether_strict_would_run(self):
        with tempfile.TemporaryDirectory(prefix="cordon-doctor-") as folder:
            ended = subprocess.run([CORDON, "doctor", "--json"], capture_output=True, text=True, timeout=LIMIT * 2,
                                   env=dict(os.environ, MCP_BRIDGE_STATE_DIR=folder))
        report = json.loads(ended.stdout)
        self.assertEqual(ended.returncode == 0, report["strictWouldRun"])
        engine = Engine()
        newest = json.loads(engine.request("GET", "/version")[2])["ApiVersion"].split(".")[1]
        self.assertEqual(report["engine"]["apiVersion"], "4.0.0" if engine.podman else "1.%d" % min(int(newest), 44))
        rows = {row["row"] for row in report["confinement"]}
        self.assertLessEqual({"network", "root filesystem", "capabilities", "seccomp", "memory", "processes"}, rows)

    def test_the_seed_s_name_is_a_second_name(self):
        seed = os.path.join(os.path.dirname(CORDON), "mcp-server-code-execution-mode")
        ended = subprocess.run([seed], input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n', capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(json.loads(ended.stdout)["result"], {})


if __name__ == "__main__":
    unittest.main()
