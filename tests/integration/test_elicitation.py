"""An upstream server that asks a person, and Cordon's own client who is asked: forms on their way through a run, with a real engine."""
import json
import os
import pathlib
import queue
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402
from cordon_client import LIMIT, Cordon, Engine, Result, npm_server, until  # noqa: E402
from cordon_http import HttpCordon, Legacy, Modern  # noqa: E402

MINI = str(pathlib.Path(__file__).resolve().parents[1] / "fakes" / "mini.py")
SERVERS = {mode: {"command": sys.executable, "args": [MINI, mode]} for mode in ("person", "input")}
FORMS = {"elicitation": {}}
ASK = "import json\nprint(json.dumps(await mcp_person.a(**json.loads(%r))))"
ACCEPT = {"action": "accept", "content": {"size": 7}}


def ask(**arguments):
    return ASK % json.dumps(arguments)


class OverStdio(Case):
    servers = dict(SERVERS, everything=npm_server("@modelcontextprotocol/server-everything"))

    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        cls.cordon = Cordon(servers=cls.servers, capabilities=FORMS)

    def next(self):
        """What Cordon says next that is no answer."""
        return self.cordon.notifications.get(timeout=LIMIT)

    def reply(self, question, **how):
        self.cordon.send({"jsonrpc": "2.0", "id": question["id"], **how})

    def asked(self, code, **how):
        """Runs code that asks once, replies as told, and gives the question and the run's result."""
        _, future = self.cordon.start_run(code)
        question = self.next()
        self.reply(question, **how)
        return question, Result(future.result(LIMIT * 3))

    def test_a_form_reaches_the_client_and_its_answer_the_server(self):
        question, result = self.asked(ask(), result=ACCEPT)
        self.assertEqual((question["method"], question["params"]["message"]), ("elicitation/create", 'The MCP server "person" asks: Which size?'))
        self.assertEqual(question["params"]["requestedSchema"]["properties"]["size"], {"type": "integer", "default": 3})
        self.assertEqual((result.status, json.loads(result.text)), ("success", [ACCEPT]), result)

    def test_of_a_modern_server_too(self):
        question, result = self.asked("import json\nprint(json.dumps(await mcp_input.a()))", result=ACCEPT)
        self.assertIn('"input" asks: Which size?', question["params"]["message"])
        self.assertEqual(result.status, "success", result)
        self.assertIn('"size": 7', result.text)

    def test_of_a_server_that_nobody_of_us_wrote(self):
        question, result = self.asked("print(await mcp_everything.trigger_elicitation_request())", result={"action": "accept", "content": {"name": "Ann"}})
        self.assertEqual(question["params"]["requestedSchema"]["properties"]["integer"]["default"], 42)
        self.assertIn("Name: Ann", result.text, result)

    def test_a_client_that_declines_or_fails_is_told_so_to_the_server(self):
        _, declined = self.asked(ask(), result={"action": "decline"})
        self.assertIn("decline", declined.text)
        for odd in ({"error": {"code": -32603, "message": "no dialogs"}}, {"result": {"action": "accept"}}, {"result": 7}):
            _, result = self.asked(ask(), **odd)
            self.assertIn("cancel", result.text, result)

    def test_questions_of_one_run_are_answered_in_any_order(self):
        _, future = self.cordon.start_run(ask(times=2))
        first, second = self.next(), self.next()
        self.reply(second, result={"action": "decline"})
        self.reply(first, result=ACCEPT)
        self.assertEqual(json.loads(Result(future.result(LIMIT * 3)).text), [ACCEPT, {"action": "decline"}])

    def test_a_run_asks_thirty_two_times_and_no_more(self):
        code = "import json\ntold = [a['action'] for _ in range(3) for a in await mcp_person.a(times=16)]\nprint(told.count('decline'), told.count('cancel'))"
        _, future = self.cordon.start_run(code)
        for _ in range(32):
            self.reply(self.next(), result={"action": "decline"})
        self.assertEqual(Result(future.result(LIMIT * 3)).text, "32 16\n")

    def test_a_run_whose_person_never_answers_ends_by_its_time_and_the_dialog_is_taken_back(self):
        _, future = self.cordon.start_run(ask(), timeout=2)
        question = self.next()
        result = Result(future.result(LIMIT * 3))
        self.assertEqual(result.status, "timeout", result)
        told = self.next()
        self.assertEqual((told["method"], told["params"]["requestId"]), ("notifications/cancelled", question["id"]))
        self.reply(question, result=ACCEPT)  # too late, and no harm
        self.check("print(1)")

    def test_the_run_s_time_stands_while_a_person_thinks(self):
        _, future = self.cordon.start_run(ask(), timeout=3)
        question = self.next()
        with self.assertRaises(queue.Empty):
            self.cordon.notifications.get(timeout=4)  # longer than the run's own time
        self.reply(question, result=ACCEPT)
        result = Result(future.result(LIMIT * 3))
        self.assertEqual((result.status, json.loads(result.text)), ("success", [ACCEPT]), result)

    def test_a_call_that_is_cancelled_takes_its_dialog_with_it(self):
        number, _ = self.cordon.start_run(ask(), timeout=60)
        question = self.next()
        self.cordon.notify("notifications/cancelled", {"requestId": number})
        told = self.next()
        self.assertEqual((told["method"], told["params"]["requestId"]), ("notifications/cancelled", question["id"]))
        self.check("print(1)")


class OtherClients(unittest.TestCase):
    def test_a_client_that_shows_no_forms_is_not_asked_and_the_server_knows(self):
        with Cordon(servers=SERVERS) as cordon:
            result = cordon.run(ask(x=1))
            self.assertEqual((result.status, result.text), ("success", '{"x": 1}\n'), result)
            self.assertTrue(cordon.notifications.empty())

    def test_a_client_that_goes_while_it_is_asked_leaves_nothing(self):
        engine = Engine()
        with Cordon(servers=SERVERS, capabilities=FORMS) as cordon:
            cordon.start_run(ask(), timeout=60)
            cordon.notifications.get(timeout=LIMIT)
            instances, children = cordon.instances(), cordon.children()
            self.assertEqual(cordon.end(LIMIT), 0)
        until(lambda: not any(pathlib.Path("/proc", str(pid)).exists() for pid in children), LIMIT)
        until(lambda: not [name for each in instances for name in engine.containers("io.cordon.instance=" + each)], LIMIT)


class Call:
    """A call of run_python over HTTP whose stream is read as it comes."""

    def __init__(self, client, code):
        message = client.message("tools/call", {"name": "run_python", "arguments": {"code": code, "timeout": 60}})
        self.connection = client.connect()
        self.connection.request("POST", "/mcp", json.dumps(message), client.headers)
        self.response = self.connection.getresponse()

    def next(self):
        while line := self.response.readline():
            if line.startswith(b"data: "):
                return json.loads(line[len("data: "):])
        raise EOFError

    def close(self):
        self.response.close()
        self.connection.close()


class OverHttp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cordon-home-")
        servers = pathlib.Path(cls.folder.name, "MCPs", "servers.json")
        servers.parent.mkdir()
        servers.write_text(json.dumps({"mcpServers": SERVERS}))
        cls.engine = Engine()
        cls.cordon = HttpCordon("--http-no-token", home=cls.folder.name, env={"MCP_BRIDGE_POOL": "0"})
        cls.client = Legacy(cls.cordon, capabilities=FORMS)

    @classmethod
    def tearDownClass(cls):
        cls.cordon.close()
        cls.folder.cleanup()

    def test_a_session_is_asked_on_its_call_s_stream_and_answers_by_another_post(self):
        call = Call(self.client, ask())
        question = call.next()
        self.assertEqual(question["method"], "elicitation/create")
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": ACCEPT}
        self.assertEqual(Legacy(self.cordon).post(json.dumps(reply)).status, 202)  # a stranger's, which is none
        self.assertEqual(self.client.post(json.dumps(dict(reply, result={"action": "decline"}))).status, 202)
        result = Result(call.next())
        call.close()
        self.assertEqual(result.status, "success", result)
        self.assertIn("decline", result.text)

    def test_nobody_is_asked_what_another_s_call_may_be_about(self):
        call = Call(self.client, ask())
        question = call.next()
        for other in (Legacy(self.cordon, capabilities=FORMS), Legacy(self.cordon), Modern(self.cordon)):
            self.assertIn("cancel", other.run(ask()).text)
        self.client.post(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": ACCEPT}))
        self.assertIn('"size": 7', Result(call.next()).text)
        call.close()

    def test_a_client_that_goes_while_it_is_asked_holds_no_container(self):
        call = Call(self.client, ask())
        call.next()
        self.assertEqual(len(self.cordon.containers(self.engine)), 1)
        call.close()
        until(lambda: not self.cordon.containers(self.engine), LIMIT)


if __name__ == "__main__":
    unittest.main()
