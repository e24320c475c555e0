"""What clients write before, around and instead of what the standard has: marks, blanks, null and [] for nothing. Over stdio and HTTP; no
engine."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cordon_client import CORDON, LIMIT  # noqa: E402
from cordon_http import HttpCordon  # noqa: E402

MARK = b"\xef\xbb\xbf"
OPEN = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
TOLD = {"jsonrpc": "2.0", "method": "notifications/initialized", "params": None}


def line(message, end=b"\n"):
    return json.dumps(message).encode() + end


def ask(number, params):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": params}


class OverStdio(unittest.TestCase):
    def answers(self, data):
        with tempfile.TemporaryDirectory(prefix="cordon-bytes-") as home:
            environment = {"HOME": home, "PATH": os.environ["PATH"], "MCP_BRIDGE_RUNTIME_SOCKET": "unix:///no/such/socket"}
            ran = subprocess.run([CORDON, "serve"], input=data, env=environment, capture_output=True, timeout=LIMIT)
        self.assertEqual(ran.returncode, 0, ran)
        return [json.loads(each) for each in ran.stdout.splitlines()]

    def check(self, data):
        said = self.answers(data)
        self.assertEqual([each["id"] for each in said], [0, 1, 2])
        self.assertTrue(all("result" in each for each in said), said)

    def test_marks_and_blanks(self):
        for first in (MARK, MARK + b"\r\n", MARK + b" ", b"\r\n\r\n" + MARK, b""):
            for end in (b"\n", b"\r\n", b" \t\r\n", b"\n\n"):
                self.check(first + line(OPEN, end) + MARK + line(TOLD, end) + line(ask(1, {}), end) + MARK + line(ask(2, {}), end))

    def test_null_and_empty_arrays(self):
        for nothing in (None, [], {}):
            self.check(line(OPEN) + line(dict(TOLD, params=nothing)) + line(dict(TOLD, id=None)) + line(ask(1, nothing)) + line(ask(2, nothing)))


class OverHttp(unittest.TestCase):
    def post(self, cordon, body, session):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + cordon.token}
        if session:
            headers["Mcp-Session-Id"] = session
        connection = http.client.HTTPConnection("127.0.0.1", cordon.port, timeout=LIMIT)
        try:
            connection.request("POST", "/mcp", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers.get("Mcp-Session-Id") or session
        finally:
            connection.close()

    def test_a_mark_before_the_body_and_nothing_in_it(self):
        with HttpCordon() as cordon:
            for first, end in ((MARK, b"\r\n"), (MARK + b"\r\n", b""), (b" \n", b"\n\n"), (b"", b"\n")):
                session = None
                for message in (OPEN, TOLD, dict(TOLD, id=None), ask(1, None), ask(2, [])):
                    status, said, session = self.post(cordon, first + line(message, end), session)
                    told = message.get("id") is None
                    self.assertEqual(status, 202 if told else 200, (message, said))
                    self.assertEqual('"result"' in said, not told, said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
