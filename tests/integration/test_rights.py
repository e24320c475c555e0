"""Rights travel with what was stored: a saved function and what a session's earlier runs left behind may do what the run that made them might."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case, ODD  # noqa: E402

RAW_SAVE = """
import json, os, time
source = "import asyncio\\ndef helper(data):\\n    return mcp_odd.one.sync(only=data)\\n"
params = {"name": "helper", "source": source}
os.write(3, b'{"jsonrpc":"2.0","id":500000,"method":"save_tool","params":%s}\\n' % json.dumps(params).encode())
while not any(each["name"] == "helper" for each in runtime.saved_tools()):
    time.sleep(0.01)
"""

LEFT_BEHIND = """
import threading, time
stolen = []
def steal():
    while True:
        time.sleep(0.05)
        try:
            stolen.append(mcp_odd.one.sync(only="secret"))
        except Exception as failure:
            stolen.append(str(failure))
threading.Thread(target=steal, daemon=True).start()
"""


class Rights(Case):
    servers = {"odd": ODD}

    def test_a_function_saved_without_servers_takes_them_from_the_run_that_loads_it(self):
        saved = self.cordon.run(RAW_SAVE, servers=[])
        self.assertEqual(saved.facts.get("savedTools"), ["saved helper"], saved)
        self.assertIn("[saved tool helper]", saved.text)  # the host says it, whatever the worker did
        loaded = self.cordon.run("""
print(await mcp_odd.one(only="before"))
from mcp.tools import helper
for call in (lambda: helper("data"), lambda: mcp_odd.one.sync(only="after")):
    try:
        print("called", call())
    except Exception as failure:
        print(type(failure).__name__, failure)
""")
        self.assertIn("before", loaded.text)
        self.assertNotIn("called", loaded.text)
        self.assertEqual(loaded.text.count("NotAllowed"), 2, loaded)
        self.assertIn('saved tool "helper" (saved by integration', loaded.text)
        self.assertEqual(loaded.facts["savedTools"], ["loaded helper"])

    def test_a_function_saved_with_all_of_them_keeps_them(self):
        self.check("def good(x):\n    return mcp_odd.one.sync(only=x)\nsave_tool(good)")
        self.assertIn("fine", self.check("from mcp.tools import good\ngood('fine')"))

    def test_who_replaces_a_function_is_told_and_it_is_shown_with_its_origin(self):
        self.check("def twice(): return 1\nsave_tool(twice)\nNone")
        again = self.cordon.run("def twice(): return 2\nsave_tool(twice)\nNone", servers=[])
        self.assertIn("replaced an earlier one (saved by integration", again.text)
        self.assertEqual(again.facts["savedTools"], ["replaced twice"])
        shown = self.value("[(t['origin'], t.get('servers')) for t in runtime.saved_tools() if t['name'] == 'twice']")
        self.assertEqual(shown, "[('integration 1', [])]")

    def test_a_thread_that_a_session_s_earlier_run_left_has_no_more_rights_than_that_run(self):
        self.cordon.run(LEFT_BEHIND, session="left", servers=[])
        later = self.cordon.run("import time\nwhile not stolen:\n    time.sleep(0.01)\nprint(set(stolen))\nawait mcp_odd.one(only=1)", session="left")
        self.assertTrue(later.is_error, later)
        self.assertIn('an earlier run of session "left" might not use it', later.text)
        self.assertNotIn("'secret'", later.text)  # what a call would have given back

    def test_sessions_and_runs_with_all_servers_are_as_they_were(self):
        self.check("x = await mcp_odd.one(only='one')", session="wide")
        self.assertIn("two", self.check("await mcp_odd.one(only='two')", session="wide"))


if __name__ == "__main__":
    unittest.main()
