"""A hostile upstream server costs nobody but itself: B, who uses another one, pings and calls meanwhile."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_http import HttpCordon, Legacy  # noqa: E402
from innocent import unharmed  # noqa: E402
from test_bulkhead import SLOW_SERVER  # noqa: E402

# A server that does what the file `mode` beside it says; it counts in the file `lists` how often its tools were asked for.
HOSTILE_SERVER = r"""
import json, pathlib, sys, threading, time
folder = pathlib.Path(__file__).parent
mode = (folder / "mode").read_text()
out, lists, turn = sys.stdout.buffer, 0, threading.Lock()
def say(text):
    with turn:
        out.write(text.encode() + b"\n")
        out.flush()
def storm(line):
    end = time.monotonic() + 6
    while time.monotonic() < end:
        say("\n".join([line] * 500))
def tool(name, more=""):
    return '{"name":"%s","inputSchema":{"type":"object"%s}}' % (name, more)
PATTERN = ',"properties":{"x":{"type":"string","pattern":"[ab]*a[ab]{900}c"}}'
def listed(cursor):
    if mode == "million":
        return '{"tools":[' + ",".join(tool("t%d" % i) for i in range(1_000_000)) + "]}"
    if mode == "zeros":
        return '{"tools":[' + "0," * 3_900_000 + tool("a") + "]}"
    if mode == "pages":
        return '{"tools":[%s],"nextCursor":"%s"}' % (",".join(tool("p%s_%d" % (cursor, i), ',"title":"' + "x" * 60_000 + '"') for i in range(100)), cursor + 1)
    if mode == "names":
        return '{"tools":[' + ",".join(tool("Tool-%d" % i) for i in range(10_000)) + "]}"
    return '{"tools":[' + tool("a", PATTERN) + "," + tool("") + ",7]}"
for text in sys.stdin:
    message = json.loads(text)
    method, number = message.get("method"), json.dumps(message.get("id"))
    if method == "initialize":
        result = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"h","version":"1"}}'
    elif method == "tools/list":
        lists += 1
        (folder / "lists").write_text(str(lists))
        result = listed(int(message["params"].get("cursor", 0)))
        if mode == "storm" and lists == 1:
            threading.Thread(target=storm, args=('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',), daemon=True).start()
        if mode == "noise" and lists == 1:
            threading.Thread(target=storm, args=('{"jsonrpc":"2.0","id":1,"method":"roots/list"}',), daemon=True).start()
    elif method == "tools/call":
        if mode == "large":
            say('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"' + "x" * (50 << 20) + '"}}')
        result = '{"content":[{"type":"text","text":"done"}]}'
    elif "id" in message:
        say('{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}' % number)
        continue
    else:
        continue
    say('{"jsonrpc":"2.0","id":%s,"result":%s}' % (number, result))
"""


class Servers(unittest.TestCase):
    def begin(self, mode):
        folder = tempfile.TemporaryDirectory(prefix="cordon-bulkhead-")
        self.addCleanup(folder.cleanup)
        self.turns = pathlib.Path(folder.name, "turns")
        self.home = pathlib.Path(folder.name, "home")
        (self.home / "MCPs").mkdir(parents=True)
        (self.home / "good.py").write_text(SLOW_SERVER.replace("time.sleep(1)", "pass"))
        (self.home / "hostile.py").write_text(HOSTILE_SERVER)
        (self.home / "mode").write_text(mode)
        servers = {name: {"command": sys.executable, "args": [str(self.home / (name + ".py"))]} for name in ("good", "hostile")}
        (self.home / "MCPs" / "servers.json").write_text(json.dumps({"mcpServers": servers}))
        self.cordon = HttpCordon("--timeout", "60", "--pool", "2", home=str(self.home), env={"CORDON_TEST_TURNS": str(self.turns)})
        self.addCleanup(self.cordon.close)
        self.hostile = Legacy(self.cordon, token=self.cordon.token)
        self.innocent = Legacy(self.cordon, token=self.cordon.token)
        self.assertEqual(self.innocent.run("x = 42\nprint(await mcp_good.a())", session="mine").status, "success")

    def withstand(self, mode, code):
        """A uses the hostile server; B and its own server must not notice. Gives A's result."""
        self.begin(mode)
        with unharmed(self, Legacy(self.cordon, token=self.cordon.token)):
            result = self.hostile.run(code)
            called = self.innocent.run("print(x, await mcp_good.a())", session="mine")
        self.assertEqual((called.status, called.text[:2]), ("success", "42"), called)
        return result

    def test_a_million_tools(self):
        result = self.withstand("million", "await mcp_hostile.t1()")
        self.assertIn("above the bound", result.text)

    def test_millions_of_tools_that_are_none(self):
        self.assertEqual(self.withstand("zeros", "print(await mcp_hostile.a())").status, "success")

    def test_pages_without_end(self):
        self.assertEqual(self.withstand("pages", "print(await mcp_hostile.p0_1())").status, "success")

    def test_ten_thousand_names_of_which_none_is_an_alias(self):
        self.assertEqual(self.withstand("names", "print(await mcp_hostile.tool_77())").status, "success")

    def test_a_storm_of_changes(self):
        result = self.withstand("storm", "import time\nprint(await mcp_hostile.a())\ntime.sleep(5)")
        self.assertEqual(result.status, "success", result)
        self.assertLess(int((self.home / "lists").read_text()), 10)

    def test_a_storm_of_requests(self):
        self.assertEqual(self.withstand("noise", "import time\nprint(await mcp_hostile.a())\ntime.sleep(5)").status, "success")

    def test_a_notification_beyond_its_bound(self):
        self.assertEqual(self.withstand("large", "for _ in range(5): print(await mcp_hostile.a())").status, "success")

    def test_a_pattern_that_grows_with_its_text(self):
        result = self.withstand("pattern", "await mcp_hostile.a()\nprint(await mcp_hostile.a(x='ab' * 500_000))")
        self.assertEqual(result.status, "success", result)


if __name__ == "__main__":
    unittest.main(verbosity=2)
