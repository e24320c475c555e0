"""Calls that a rule wants to be asked: the form that the client is shown, what becomes of each answer, and the run that is frozen meanwhile."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402
from cordon_client import CORDON, LIMIT, Cordon, Engine, Result, npm_server  # noqa: E402

TRY = """
import asyncio, time
async def attempt(message, tool="echo"):
    try:
        return str(await runtime.call_tool("everything", tool, {"message": message}))
    except runtime.MCPError as failure:
        return f"{type(failure).__name__}: {failure}"
"""


class Asked(Case):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="cordon-ask-")
        cls.file = pathlib.Path(cls.kept.name).resolve() / "policy.toml"
        cls.file.write_text('[[rule]]\nserver = "everything"\ntool = "echo"\naction = "ask"\n')
        cls.file.chmod(0o600)
        cls.engine = Engine()
        cls.cordon = Cordon("--policy", str(cls.file), "--ask-timeout", "60", servers={
            "everything": npm_server("@modelcontextprotocol/server-everything"),
            "notes": npm_server("@modelcontextprotocol/server-filesystem", cls.kept.name)}, capabilities={"elicitation": {}})

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.kept.cleanup()

    def form(self):
        question = self.cordon.notifications.get(timeout=LIMIT)
        self.assertEqual(question["method"], "elicitation/create")
        return question

    def reply(self, question, *answers, action="accept"):
        content = {f"call_{number + 1}": answer for number, answer in enumerate(answers)}
        result = {"action": action, "content": content} if action == "accept" else {"action": action}
        self.cordon.send({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def start(self, code, **more):
        return self.cordon.start_run(TRY + code, **more)[1]

    def text(self, future):
        return Result(future.result(LIMIT * 3)).text

    def test_1_yes_no_and_none(self):
        for action, answer, wanted in (("accept", "allow once", "Echo: hello"), ("accept", "no", "did not allow"),
                                       ("accept", "allow everything", "did not allow"), ("decline", "", "did not allow"),
                                       ("cancel", "", "did not allow")):
            future = self.start('print(ascii(await attempt("hello\\x1b[2J")))')
            question = self.form()
            self.assertIn('call_1: everything.echo\n    arguments: {"message":"hello', question["params"]["message"])
            self.assertNotIn("\x1b", question["params"]["message"])
            self.assertIn(f"asked by: the rule at {self.file}:1", question["params"]["message"])
            self.assertIn('    [[rule]]\n    server = "everything"', question["params"]["message"])
            self.reply(question, answer, action=action)
            self.assertIn(wanted, self.text(future))

    def test_2_the_clock_stands_and_the_guest_lives_through_forty_seconds(self):
        future = self.start('print(await attempt("hello"))', timeout=3)
        question = self.form()
        time.sleep(40)  # more than a heartbeat's silence, and than all pauses of the run
        self.reply(question, "allow once")
        self.assertIn("Echo: hello", self.text(future))

    def test_3_many_at_once_are_asked_together_and_the_others_go_on(self):
        future = self.start("""
print(*await asyncio.gather(*(attempt(f"n{i}") if i % 5 == 0 else runtime.call_tool("everything", "get-sum", {"a": i, "b": 0}) for i in range(50))), sep="\\n")
""")
        first = self.form()
        self.assertEqual(len(first["params"]["requestedSchema"]["properties"]), 8)
        self.reply(first, *["allow once"] * 4, *["no"] * 4)
        second = self.form()
        self.reply(second, "allow once", "no")
        text = self.text(future)
        self.assertEqual((text.count("Echo: n"), text.count("did not allow"), text.count("The sum of")), (5, 5, 40), text)

    def test_4_for_this_run_and_this_session(self):
        future = self.start('print(await attempt("a"), await attempt("b"))')
        self.reply(self.form(), "allow for this run")
        self.assertEqual(self.text(future).count("Echo"), 2)
        future = self.start('print(await attempt("a"))')
        self.reply(self.form(), "no")
        self.assertIn("did not allow", self.text(future))

    def test_5_frozen_and_thawed_a_hundred_times(self):
        for _ in range(2):
            future = self.start('told = [await attempt(f"n{i}") for i in range(50)]\nprint(sum("Echo" in each for each in told))')
            for _ in range(50):
                self.reply(self.form(), "allow once")
            self.assertEqual(self.text(future), "50\n")

    def test_6_always_is_written_above_the_rule_that_asked(self):
        future = self.start('print(await attempt("a"))')
        self.reply(self.form(), "allow always")
        self.assertIn("Echo: a", self.text(future))
        self.assertEqual(self.file.read_text(), '[[rule]]\nserver = "everything"\ntool = "echo"\naction = "allow"\n\n'
                                                '[[rule]]\nserver = "everything"\ntool = "echo"\naction = "ask"\n')
        self.assertIn("Echo: b", self.text(self.start('print(await attempt("b"))')))

    def test_7_what_could_leave_is_asked_and_no_rule_allows_it_for_good(self):
        self.file.write_text('[server.everything]\npublic = true\n[server.notes]\nprivate = true\n')
        time.sleep(1.1)  # it is looked at once a second
        future = self.start("""
await runtime.call_tool("notes", "read_text_file", {"path": %r})
print(await attempt("a"))
""" % str(self.file))
        question = self.form()
        self.assertIn("asked by: data that could leave: this run has read from notes, which is private", question["params"]["message"])
        self.assertNotIn("always", str(question["params"]["requestedSchema"]))
        self.reply(question, "allow once")
        self.assertIn("Echo: a", self.text(future))


class Killed(unittest.TestCase):
    def test_a_frozen_container_is_removed_by_the_next_sweep(self):
        engine = Engine()
        with tempfile.TemporaryDirectory(prefix="cordon-ask-") as folder:
            file = pathlib.Path(folder).resolve() / "policy.toml"
            file.write_text('[[rule]]\naction = "ask"\n')
            file.chmod(0o600)
            with Cordon("--policy", str(file), servers={"everything": npm_server("@modelcontextprotocol/server-everything")},
                        capabilities={"elicitation": {}}) as cordon:
                cordon.start_run('await runtime.call_tool("everything", "echo", {"message": "a"})')
                self.assertEqual(cordon.notifications.get(timeout=LIMIT)["method"], "elicitation/create")
                left = cordon.containers(engine)
                cordon.process.kill()
                cordon.process.wait(LIMIT)
                environment = {**os.environ, "MCP_BRIDGE_STATE_DIR": cordon.home.name + "/state"}
                swept = subprocess.run([CORDON, "sweep"], env=environment, capture_output=True, text=True, timeout=LIMIT)
                self.assertEqual(swept.returncode, 0, swept.stderr)
                self.assertTrue(left)
                self.assertEqual(set(engine.containers("io.cordon=1")) & set(left), set())


if __name__ == "__main__":
    unittest.main()
