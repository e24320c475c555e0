"""Runs that time out while an upstream server lets them wait: which call it was, and for how long, is said."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cordon_case import Case  # noqa: E402

MINI = str(pathlib.Path(__file__).resolve().parents[2] / "fakes" / "mini.py")


class Waiting(Case):
    servers = {name: {"command": sys.executable, "args": [MINI, mode]} for name, mode in (("stuck", "hang"), ("slow", "slow60"), ("well", "ok"))}

    def test_one_call(self):
        result = self.fails("await mcp_well.a(x=1)\nprint('asks')\nawait mcp_stuck.a(x=1)", "timed out after 2 s; still waiting for stuck.a (", "asks",
                            timeout=2)
        self.assertEqual([(each["server"], each["tool"]) for each in result.facts["waiting"]], [("stuck", "a")])
        self.assertTrue(1 < result.facts["waiting"][0]["seconds"] < 10, result.facts)
        self.assertEqual(result.status, "timeout")

    def test_many_calls_in_threads_and_tasks(self):
        result = self.fails("import asyncio\nawait asyncio.gather(*[mcp_stuck.a(x=n) for n in range(8)])", "still waiting for stuck.a (", " and 3 more",
                            timeout=2)
        self.assertEqual((len(result.facts["waiting"]), result.facts["waitingInAll"]), (5, 8))
        self.fails("import threading\nthreading.Thread(target=lambda: runtime.call_tool_sync('stuck', 'a', {})).start()\nawait mcp_stuck.a(x=1)",
                   "still waiting for stuck.a (", timeout=2)

    def test_a_server_that_is_still_starting(self):
        result = self.fails("await mcp_slow.a(x=1)", "timed out after 2 s; still waiting for server slow, which is still starting (", timeout=2)
        self.assertEqual([each["server"] for each in result.facts["waiting"]], ["slow"])

    def test_calls_that_were_given_up_or_answered_are_not_named(self):
        result = self.fails("import asyncio, time\nawait mcp_well.a(x=1)\ntry:\n    await asyncio.wait_for(mcp_stuck.a(x=1), 0.3)\n"
                            "except asyncio.TimeoutError:\n    pass\ntime.sleep(60)", "timed out after 2 s", timeout=2)
        self.assertNotIn("waiting", result.facts)
        self.assertNotIn("still waiting", result.text)

    def test_a_run_that_ends_by_itself_names_none(self):
        result = self.cordon.run("import asyncio\ntask = asyncio.ensure_future(mcp_stuck.a(x=1))\nawait asyncio.sleep(0.2)\nraise ValueError('done')")
        self.assertNotIn("waiting", result.facts)
        self.assertFalse(re.search("still waiting", result.text), result)


if __name__ == "__main__":
    unittest.main(verbosity=2)
