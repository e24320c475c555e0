"""`cordon serve --http` with a real engine behind it: whose interpreters and files are whose, and what a client's going does."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import socket
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import LIMIT, Engine, until  # noqa: E402
from cordon_http import HttpCordon, Legacy, Modern  # noqa: E402

FILE = "import os\nos.makedirs('artifacts', exist_ok=True)\nopen('artifacts/secret.txt', 'w').write('%s')\nNone"


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        cls.cordon = HttpCordon("--http-no-token", env={"MCP_BRIDGE_POOL": "0"})

    @classmethod
    def tearDownClass(cls):
        instances = cls.cordon.instances()
        cls.cordon.close()
        until(lambda: not [name for each in instances for name in cls.engine.containers("io.cordon.instance=" + each)])

    def test_a_modern_client_s_session_has_a_name_that_no_other_can_guess(self):
        one, other = Modern(self.cordon), Modern(self.cordon)
        first = one.run("x = 'mine'\nNone", session="work")
        name = first.facts["session"]
        self.assertRegex(name, r"^work-[0-9a-f]{32}$")
        self.assertIn('session "work" is a new interpreter; to come back to it: session="%s"' % name, first.text)
        self.assertIn("NameError", other.run("x", session="work").text)
        again = one.run("x", session=name)
        self.assertEqual((again.text, again.facts["session"]), ("'mine'", name))
        self.assertIn("NameError", one.run("x", session="work").text)  # nothing tells it from the other

    def test_a_name_that_looks_right_opens_nothing(self):
        client = Modern(self.cordon)
        name = client.run("x = 1\nNone", session="s").facts["session"]
        for forged in (name[:-1] + ("0" if name[-1] != "0" else "1"), name[:-1], name.upper()):
            result = client.run("x", session=forged)
            self.assertIn("NameError", result.text)
            self.assertNotEqual(result.facts["session"], forged)
        self.assertIn("NameError", Legacy(self.cordon).run("x", session=name).text)

    def test_a_modern_client_is_told_when_its_interpreter_did_not_live_on(self):
        client = Modern(self.cordon)
        name = client.run("x = 1\nNone", session="ends").facts["session"]
        self.assertTrue(client.run("import os\nos._exit(3)", session=name).is_error)
        told = client.run("'x' in globals()", session=name)
        self.assertIn('session "%s" begins anew: ' % name, told.text)
        self.assertEqual((told.text.splitlines()[0], told.facts["session"]), ("False", name))

    def test_legacy_clients_have_theirs_by_name_and_a_deleted_session_ends_them(self):
        one, other = Legacy(self.cordon), Legacy(self.cordon)
        kept = one.run("x = 'mine'\nNone", session="work")
        self.assertNotIn("session", kept.facts)
        self.assertEqual(one.run("x", session="work").text, "'mine'")
        self.assertIn("NameError", other.run("x", session="work").text)
        self.assertEqual(one.post(None, method="DELETE").status, 204)
        self.assertEqual(one.answer("tools/list").status, 404)

    def test_files_of_modern_clients_are_read_by_whoever_was_told_their_uri(self):
        one, other = Modern(self.cordon), Modern(self.cordon)
        uris = [re.search(r"artifact:///[0-9a-f]{32}/secret\.txt", client.run(FILE % text).text).group(0)
                for client, text in ((one, "first"), (other, "second"))]
        self.assertEqual([one.request("resources/read", {"uri": uri})["contents"][0]["text"] for uri in uris], ["first", "second"])
        self.assertNotIn("artifact:", json.dumps(other.request("resources/list")))
        lost = other.answer("resources/read", {"uri": "artifact:///secret.txt"})
        self.assertEqual((lost.status, lost.last["error"]["code"]), (200, -32602))

    def test_files_of_a_legacy_client_are_its_own(self):
        one, other = Legacy(self.cordon), Legacy(self.cordon)
        one.run(FILE % "own")
        uri = next(each["uri"] for each in one.request("resources/list")["resources"] if each["uri"].startswith("artifact:"))
        self.assertEqual(one.request("resources/read", {"uri": uri})["contents"][0]["text"], "own")
        self.assertNotIn("artifact:", json.dumps(other.request("resources/list")))
        self.assertEqual(other.answer("resources/read", {"uri": uri}).last["error"]["code"], -32002)

    def leave_in_mid_call(self, client, body, headers):
        """Sends a call, goes when its code runs; gives its container's name."""
        connection = client.connect()
        connection.request("POST", "/mcp", body, headers)
        response = connection.getresponse()
        line = b""
        while not line.startswith(b"data: "):  # comments, while the container comes up
            line = response.readline()
            self.assertTrue(line)
        name = next(each for each in self.cordon.containers(self.engine) for pid in self.engine.processes(each)
                    if self.mark(client).encode() in pathlib.Path("/proc", str(pid), "cmdline").read_bytes())
        response.close()
        connection.close()
        return name

    def mark(self, client):
        return "111.%d" % id(client)

    def long(self, client):
        """A call of code that tells when it runs, with a process that its container can be known by."""
        code = "import subprocess\nmark = subprocess.Popen(['sleep', %r])\nruntime.progress(1, 2)\nmark.wait()" % self.mark(client)
        return {"_meta": {"progressToken": "p"}, "name": "run_python", "arguments": {"code": code, "timeout": 115}}

    def test_a_modern_client_that_goes_has_cancelled(self):
        client = Modern(self.cordon)
        body, headers = client.prepared("tools/call", self.long(client))
        name = self.leave_in_mid_call(client, body, {**client.headers, **headers})
        until(lambda: name not in self.cordon.containers(self.engine), limit=60)

    def test_a_legacy_client_that_goes_has_not_until_it_says_so(self):
        client = Legacy(self.cordon)
        message = client.message("tools/call", self.long(client))
        name = self.leave_in_mid_call(client, json.dumps(message), client.headers)
        self.assertEqual(client.run("print(1)").text, "1\n")  # time goes by
        self.assertIn(name, self.cordon.containers(self.engine))
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}}
        self.assertEqual(client.post(json.dumps(told)).status, 202)
        until(lambda: name not in self.cordon.containers(self.engine), limit=60)

    def raw(self, head, body):
        """The status, the kind and the text of the answer to a request as it stands."""
        with socket.create_connection(("127.0.0.1", self.cordon.port), timeout=LIMIT) as connection:
            connection.sendall(("%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                                % ("\r\n".join(head), len(body), body)).encode())
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            with answer:
                return answer.status, answer.headers.get_content_type(), answer.read().decode()

    HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
             "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}

    def test_clients_that_take_no_streams_are_answered_in_plain_json(self):
        slow = "import time\nruntime.progress(1, 2)\ntime.sleep(2.5)\nprint('done')"  # a stream begins after two seconds
        for accept in ("application/json", "*/*", "application/json, text/plain, */*", None):
            with self.subTest(accept):
                headers = {"Accept": accept} if accept else {}
                client = Legacy.__new__(Legacy)
                client.cordon, client.cafile, client.next_id = self.cordon, None, 0
                client.headers = {"Content-Type": "application/json", **headers}
                opened = client.answer("initialize", self.HELLO["params"])
                self.assertEqual((opened.status, opened.stream), (200, False))
                client.headers["Mcp-Session-Id"] = opened.headers["Mcp-Session-Id"]
                answer = client.answer("tools/call", {"_meta": {"progressToken": "p"}, "name": "run_python", "arguments": {"code": slow}})
                self.assertEqual((answer.status, answer.headers.get_content_type(), len(answer.messages)), (200, "application/json", 1))
                self.assertEqual(answer.last["result"]["content"][0]["text"], "done\n")
                self.assertEqual(client.post(None, method="DELETE").status, 204)

    def test_a_client_that_takes_streams_alone_gets_one(self):
        client = Modern(self.cordon)
        client.headers["Accept"] = "text/event-stream"
        answer = client.answer("tools/list")
        self.assertEqual((answer.stream, answer.last["result"]["tools"][0]["name"]), (True, "run_python"))
        client.headers["Accept"] = "text/html"
        self.assertEqual(client.answer("tools/list").status, 406)

    def test_other_spellings_of_the_target(self):
        here, body = "127.0.0.1:%d" % self.cordon.port, json.dumps(self.HELLO)
        for target in ("/mcp", "/mcp/", "/mcp?a", "http://%s/mcp" % here, "HTTP://localhost:%d/mcp/" % self.cordon.port):
            with self.subTest(target):
                status, kind, text = self.raw(["POST %s HTTP/1.1" % target, "Host: " + here], body)
                self.assertEqual((status, kind), (200, "application/json"), text)
                self.assertEqual(json.loads(text)["result"]["serverInfo"]["name"], "cordon")
        # a name that a web page made point here, wherever it stands
        for target, host in (("http://evil.example/mcp", here), ("http://%s/mcp" % here, "evil.example"), ("http://evil.example/mcp", "evil.example"),
                             ("http://localhost@evil.example/mcp", here)):
            with self.subTest(target + " " + host):
                self.assertEqual(self.raw(["POST %s HTTP/1.1" % target, "Host: " + host], body)[0], 403)
        for target in ("/", "/mcp/x", "/mcp//", "http://%s" % here):
            self.assertEqual(self.raw(["POST %s HTTP/1.1" % target, "Host: " + here], body)[0], 404)

    def test_clients_of_both_eras_run_together(self):
        clients = [Modern(self.cordon), Legacy(self.cordon), Modern(self.cordon), Legacy(self.cordon)]
        with concurrent.futures.ThreadPoolExecutor() as threads:
            runs = [threads.submit(client.run, "print(%d)" % number) for number, client in enumerate(clients)]
            self.assertEqual([run.result().text for run in runs], ["0\n", "1\n", "2\n", "3\n"])


if __name__ == "__main__":
    unittest.main()
