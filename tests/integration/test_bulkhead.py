"""One hostile client cannot slow, swell or outlive anything but itself. A does its worst; B holds `x = 42` in a session and pings."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import Engine, until  # noqa: E402
from cordon_http import HttpCordon, Legacy  # noqa: E402
from innocent import unharmed  # noqa: E402

# What hostile code begins with: its own end of the channel, to which it writes what the helpers never would.
RAW = r"""
import json, os, select, sys, time
def line(number, method, params):
    return b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' % (number, method.encode(), json.dumps(params).encode())
def send(data, seconds=15):
    end, view = time.monotonic() + seconds, memoryview(data)
    while view and time.monotonic() < end:
        if select.select([], [3], [], 0.1)[1]:
            view = view[os.write(3, view[:1 << 16]):]
    return not view
"""

SAVED_STORM = RAW + r"""
import threading
for i in range(100):
    send(line(500_000 + i, "save_tool", {"name": "tool_%d" % i, "source": "def tool_%d():\n    return '%s'\n" % (i, "x" * 60_000)}))
threading.Thread(target=lambda: [os.read(3, 1 << 20) for _ in range(100_000)], daemon=True).start()
for i in range(900):
    if not send(line(600_000 + i, "saved_tools", {})):
        break
time.sleep(5)
print("began and ended")
"""

DEAF_STORM = SAVED_STORM.replace("threading.Thread(target=lambda: [os.read(3, 1 << 20) for _ in range(100_000)], daemon=True).start()", "")

LARGE_CALLS = RAW + r"""
filling = b"x" * (60 << 20)
for i in range(60):
    whole = b'{"jsonrpc":"2.0","id":%d,"method":"call_tool","params":{"server":"slow","tool":"a","arguments":{"x":"%s"}}}\n' % (700_000 + i, filling)
    if not send(whole):
        break
print("began and ended")
"""

BEYOND_BOUND = RAW + r"""
whole = b'{"jsonrpc":"2.0","id":800000,"method":"search_tool_docs","params":{"query":"%s"}}\n' % (b"x" * (88 << 20))
send(whole)
data = b""
while b"\n" not in data:
    data += os.read(3, 1 << 16)
print(data.decode())
"""

MANY_SMALL = RAW + r"""
import threading
threading.Thread(target=lambda: [os.read(3, 1 << 20) for _ in range(1_000_000)], daemon=True).start()
end = time.monotonic() + 8
number = 900_000
while time.monotonic() < end:
    number += 200
    send(b"".join(line(number + i, "search_tool_docs", {"query": "read a file " * 500, "limit": 50, "detail": "full"}) for i in range(200)))
print("began and ended")
"""

LARGE_DISPLAYS = RAW + r"""
def show(members):
    send(b'{"jsonrpc":"2.0","method":"display","params":{%s}}\n' % members)
filling = b"A" * (22 << 20)
wide = b",".join(b'"k%d":[]' % n for n in range(1_500_000))
for i in range(4):
    show(b'"mime_type":"image/png","data":"%s"' % filling)
    show(b'"mime_type":"image/svg+xml","text":"%s"' % filling)
    show(b'"mime_type":"image/svg+xml","text":"%s"' % (b'\\"' * (6 << 20)))
    show(b'"mime_type":"image/svg+xml","text":"%s"' % (b"\\u00e9" * (3 << 20)))
    show(wide + b',"mime_type":"image/svg+xml","text":"x"')
    show(b'"mime_type":"image/png","data":"x",' + wide + b',"z":"z"')
print("began and ended")
"""

SLOW_SERVER = r"""
import json, sys, time
for text in sys.stdin:
    message = json.loads(text)
    if message.get("method") == "initialize":
        answer = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "slow", "version": "1"}}
    elif message.get("method") == "tools/list":
        answer = {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}
    elif message.get("method") == "tools/call":
        time.sleep(1)
        answer = {"content": [{"type": "text", "text": "done"}]}
    else:
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""


class Bulkhead(unittest.TestCase):
    flags = ("--timeout", "20", "--pool", "1")
    address_space = None

    def setUp(self):
        self.engine = Engine()
        folder = tempfile.TemporaryDirectory(prefix="cordon-bulkhead-")
        self.addCleanup(folder.cleanup)
        self.turns = pathlib.Path(folder.name, "turns")
        home = pathlib.Path(folder.name, "home")
        (home / "MCPs").mkdir(parents=True)
        (home / "slow.py").write_text(SLOW_SERVER)
        servers = {"slow": {"command": sys.executable, "args": [str(home / "slow.py")]}}
        (home / "MCPs" / "servers.json").write_text(json.dumps({"mcpServers": servers}))
        self.cordon = HttpCordon(*self.flags, home=str(home), env={"CORDON_TEST_TURNS": str(self.turns)}, address_space=self.address_space)
        self.addCleanup(self.cordon.close)
        self.hostile = Legacy(self.cordon, token=self.cordon.token)
        self.innocent = Legacy(self.cordon, token=self.cordon.token)
        self.assertEqual(self.innocent.run("x = 42", session="mine").status, "success")
        until(lambda: len(self.cordon.containers(self.engine)) >= 2)  # the session's, and a warm one

    def withstand(self, code):
        """A runs the code; B must not notice. Gives A's result."""
        with unharmed(self, self.innocent) as innocent:
            result = self.hostile.run(code)
        self.assertGreater(innocent.count, 3)
        self.assertEqual(self.innocent.run("print(x)", session="mine").text, "42\n")
        return result

    def test_saved_functions_asked_for_again_and_again(self):
        self.withstand(SAVED_STORM)

    def test_answers_that_nobody_reads(self):
        self.withstand(DEAF_STORM)

    def test_large_calls_to_a_server_that_takes_its_time(self):
        self.withstand(LARGE_CALLS)

    def test_a_request_far_beyond_its_bound(self):
        result = self.withstand(BEYOND_BOUND)
        self.assertEqual(result.status, "success", result)
        self.assertIn("too_large", result.text)

    def test_searches_as_fast_as_they_can_be_written(self):
        result = self.withstand(MANY_SMALL)
        self.assertIn(result.status, ("success", "error"), result)
        if result.is_error:
            self.assertEqual(result.facts["limits"], ["host_cpu"], result)

    def test_displays_that_are_none(self):
        result = self.withstand(LARGE_DISPLAYS)
        self.assertEqual(result.status, "success", result)
        self.assertIn("began and ended", result.text)


class SmallAddressSpace(unittest.TestCase):
    """The same where the user has set `ulimit -v`: what cannot be had costs the run that asks for it, not Cordon."""
    flags, address_space = Bulkhead.flags, 200 << 20
    setUp, withstand = Bulkhead.setUp, Bulkhead.withstand

    def test_memory_that_cannot_be_had(self):
        for code in (LARGE_CALLS, DEAF_STORM, BEYOND_BOUND):
            self.withstand(code)


if __name__ == "__main__":
    unittest.main()
