"""What the user's servers were given stays with them: code, results and logs have none of it, however a server repeats it."""
import base64
import http.server
import json
import os
import sys
import threading
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402

TOKEN = 'sk_live_Zq7"81/ü+Lk0'
BEARER = "bearer-0123456789abcdef"

TALKATIVE = r"""
import base64, json, os, sys, urllib.parse
token = os.environ["SERVICE_TOKEN"]
print("starting with", token, file=sys.stderr, flush=True)
for text in sys.stdin:
    message = json.loads(text)
    method, answer = message.get("method"), None
    if method == "initialize":
        answer = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif method == "tools/list":
        answer = {"tools": [{"name": "tell", "description": "uses " + token, "inputSchema": {"type": "object"}},
                            {"name": "fail", "inputSchema": {"type": "object"}}, {"name": "die", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call" and message["params"]["name"] == "tell":
        said = [token, urllib.parse.quote(token, safe=""), base64.b64encode(("user:" + token).encode()).decode(), token.encode().hex()]
        answer = {"content": [{"type": "text", "text": json.dumps({"said": said})}]}
    elif method == "tools/call" and message["params"]["name"] == "fail":
        answer = {"content": [{"type": "text", "text": "401 for " + token}], "structuredContent": {"header": token}, "isError": True}
    elif method == "tools/call":
        print("last words:", token, file=sys.stderr, flush=True)
        sys.exit(3)
    if answer is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
    elif "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no " + token}}), flush=True)
"""

BROKEN = r"""
import os, sys
sys.exit("no database at postgres://me:%s@db" % os.environ["SERVICE_TOKEN"])
"""

ALL = """
import traceback
from mcp import runtime
print(runtime.discovered_servers(detailed=True))
for server in ("talkative", "broken", "refusing"):
    try:
        print(await runtime.query_tool_docs(server, detail="full"))
    except Exception as failure:
        print(failure)
for tool in ("tell", "fail", "die"):
    try:
        print(await runtime.call_tool("talkative", tool))
    except Exception as failure:
        print(failure, getattr(failure, "structured", None), getattr(failure, "content", None))
print(runtime.discovered_servers(detailed=True))
"""


class Refusing(http.server.BaseHTTPRequestHandler):
    """A server over HTTP that shows in its error what it was sent."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = ("you sent " + self.headers["Authorization"]).encode()
        self.send_response(500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def spellings():
    coded = base64.b64encode(("user:" + TOKEN).encode()).decode()
    return [TOKEN, json.dumps(TOKEN)[1:-1], TOKEN.replace('"', '\\"'), urllib.parse.quote(TOKEN, safe=""), TOKEN.encode().hex(), coded[8:-4], BEARER]


class Secrets(Case):
    flags = ("--log-level", "debug")

    @classmethod
    def setUpClass(cls):
        cls.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
        threading.Thread(target=cls.web.serve_forever, daemon=True).start()
        env = {"SERVICE_TOKEN": TOKEN}
        cls.servers = {
            "talkative": {"command": sys.executable, "args": ["-c", TALKATIVE], "env": env, "cwd": "/"},
            "broken": {"command": sys.executable, "args": ["-c", BROKEN], "env": env},
            "refusing": {"type": "http", "url": "http://127.0.0.1:%d/mcp" % cls.web.server_port, "headers": {"Authorization": "Bearer " + BEARER}},
        }
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.web.shutdown()
            cls.web.server_close()

    def test_nothing_of_them_reaches_code_or_the_log(self):
        result = self.cordon.run(ALL)
        self.assertEqual(result.status, "success", result)
        self.assertIn("[secret]", result.text)
        self.assertNotIn("no database", result.text)  # the own words of a server that fails are for the user,
        self.assertNotIn("last words", result.text)
        self.assertNotIn("you sent", result.text)
        for words in ("no database at postgres://me:[secret]@db", "last words: [secret]", "you sent "):
            self.assertIn(words, self.cordon.log())  # who has them in the log
        for said in (json.dumps(result.message, ensure_ascii=False), json.dumps(result.message), result.text, self.cordon.log()):
            for spelling in spellings():
                self.assertNotIn(spelling, said)

    def test_a_run_learns_nothing_of_servers_that_it_may_not_use(self):
        code = "from mcp import runtime\nimport json\njson.dumps(runtime.discovered_servers(detailed=True))"
        self.cordon.run("from mcp import runtime\ntry:\n    await runtime.list_tools('broken')\nexcept runtime.MCPError:\n    pass")
        shown = json.loads(eval(self.value(code, servers=["talkative"])))
        by_name = {each["name"]: each for each in shown}
        self.assertEqual(by_name["talkative"]["cwd"], "/")
        for name in ("broken", "refusing"):
            self.assertFalse(by_name[name]["usable"])
            self.assertIn("servers", by_name[name]["reason"])
            self.assertEqual({key for key, value in by_name[name].items() if value} - {"name", "alias", "reason"}, set())


if __name__ == "__main__":
    unittest.main()
