"""Arguments as models really send them: None for what is left out, placeholders for nothing given, misspelt names, tools without a schema."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402
from test_drop_in import office  # noqa: E402


class Arguments(Case):
    servers = {"bare": office("bare"), "api": office("service")}

    def given(self, arguments):
        return self.value("(await mcp_bare.optional(%s)).given" % arguments)

    def test_none_for_an_optional_parameter(self):
        self.assertEqual(self.given("name='a', limit=None"), "{'name': 'a'}")
        self.assertEqual(self.given("{'name': 'a', 'limit': None}"), "{'name': 'a'}")
        self.assertEqual(self.value("runtime.call_tool_sync('bare', 'optional', {'name': 'a', 'limit': None}).given"), "{'name': 'a'}")
        self.assertEqual(self.given("name='a', where={'city': None, 'x': None}"), "{'name': 'a', 'where': {'x': None}}")

    def test_none_stays_where_it_is_allowed(self):
        self.assertEqual(self.given("name='a', note=None, label=None, other=None"), "{'name': 'a', 'note': None, 'label': None, 'other': None}")
        self.fails("await mcp_bare.optional(name=None)", "name: got null, expected string")
        self.fails("await mcp_bare.optional(name='a', label=7)", "label: got 7, expected string")

    def test_help_says_what_may_be_none(self):
        text = self.check("help(mcp_bare.optional)\nprint(runtime.query_tool_docs_sync('bare', 'optional')[0]['signature'])")
        self.assertIn("label: str | None", text)

    def test_tools_without_a_schema_take_anything(self):
        for name in ("missing", "null", "true", "list"):
            self.assertEqual(self.value("(await mcp_bare[%r](a=1, b=None)).given" % name), "{'a': 1, 'b': None}")
        self.assertEqual(self.value("[tool['inputSchema'] for tool in await runtime.list_tools('bare')][:4]"), "[{}, {}, {}, {}]")
        self.check("help(mcp_bare.missing)")

    def test_a_protocol_error_keeps_its_data(self):
        self.assertIn("[9, 'bare.fails: the office is closed']", self.check("try:\n    await mcp_bare.fails(name='a')\nexcept runtime.MCPError as e:\n    found = [e.structured.opens.at, str(e)]\nfound"))

    def test_placeholders_for_nothing_given(self):
        for blank in (None, "", "null", "None", "undefined", 0, False, {}):
            result = self.cordon.run("x = 1\nsorted(runtime.list_servers_sync())", servers=blank, session=blank, timeout=blank)
            self.assertEqual((result.status, result.text.strip(), result.facts.get("timeoutSeconds")), ("success", "['api', 'bare']", 30), (blank, result))
        for blank in ([], "[]"):
            self.assertEqual(self.cordon.run("1", session=blank, timeout=blank).status, "success")
        # no interpreter lives on: the next call would find its variable
        for blank in ("null", "", None, []):
            self.check("kept = 1", session=blank)
            self.fails("kept", "NameError", session=blank)
        self.assertEqual(self.cordon.run("1", timeout="60").facts["timeoutSeconds"], 60)
        self.assertEqual(self.cordon.run("1", timeout="60 s").facts["timeoutSeconds"], 60)
        self.assertIn("timeout -1 is no time; the default of 30 s held", self.check("1", timeout=-1))

    def test_an_empty_list_of_servers_is_a_choice(self):
        for none in ([], "[]"):
            self.assertEqual(self.value("runtime.list_servers_sync()", servers=none), "[]")
        for blank in ([""], [None], ["null"]):
            self.assertEqual(self.value("len(runtime.list_servers_sync())", servers=blank), "2")
        self.fails("await mcp_api.check_status()", "leave `servers` out: an empty list means none", servers=[])

    def test_unknown_arguments_of_the_tool_are_noted(self):
        self.assertIn('the argument "sesion" is unknown and was ignored (did you mean "session"?)', self.check("1", sesion="work"))
        self.assertIn('the argument "timeout_seconds" is unknown and was ignored (did you mean "timeout"?)', self.check("1", timeout_seconds=5))
        self.assertNotIn("unknown", self.check("1", _client={"a": 1}))


if __name__ == "__main__":
    unittest.main()
