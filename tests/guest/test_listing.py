"""Unit: how Python's arguments become a tool's, and how tools look to Python."""
import inspect
import unittest

import units  # noqa: F401
from _cordon import bounded_repr
from _cordon.listing import Listing, ToolInfo, python_name, type_text


def tool(required=(), **properties):
    return ToolInfo({"name": "t", "alias": "t", "inputSchema": {"type": "object", "properties": properties, "required": list(required)}})


class Names(unittest.TestCase):
    def test_python_names(self):
        for name, python in (("path", "path"), ("user-id", "user_id"), ("from", "from_"), ("class", "class_"), ("2nd", "_2nd"), ("", "_"),
                             ("a.b c", "a_b_c"), ("größe", "größe"), ("None", "None_"), ("$ref", "_ref"), ("\U0001f600", "_"), ("self", "self")):
            self.assertEqual(python_name(name), python)
            self.assertTrue(python.isidentifier())

    def test_two_parameters_with_one_python_name_keep_their_own(self):
        info = tool(**{"a-b": {}, "a.b": {}, "c-d": {}})
        self.assertEqual(info.bind((), {"a-b": 1, "c_d": 2}), {"a-b": 1, "c-d": 2})
        self.assertEqual(info.bind((), {"a_b": 1}), {"a_b": 1})  # for the host to refuse
        info = tool(**{"a-b": {}, "a_b": {}})
        self.assertEqual(info.bind((), {"a_b": 1, "a-b": 2}), {"a_b": 1, "a-b": 2})


class Binding(unittest.TestCase):
    def test_one_positional(self):
        self.assertEqual(tool(a={}).bind((5,), {}), {"a": 5})
        self.assertEqual(tool(["b"], a={}, b={}).bind((5,), {}), {"b": 5})
        self.assertEqual(tool(["b", "a"], a={}, b={}).bind((5,), {"b": 1}), {"a": 5, "b": 1})
        self.assertEqual(tool(["a"], a={}).bind(({"a": 1},), {}), {"a": 1})
        self.assertEqual(tool(["a"], a={}).bind(({"x": 1},), {"b": 2}), {"a": {"x": 1}, "b": 2})

    def test_refusals_say_how(self):
        for info, positional, named, words in ((tool(), (1,), {}, "no positional argument"), (tool(a={}, b={}), (1,), {}, "no positional"),
                                               (tool(["a"], a={}, b={}), (1, 2), {}, "one positional argument"),
                                               (tool(["a"], a={}), (1,), {"a": 2}, "two values for 'a'")):
            with self.assertRaisesRegex(TypeError, words):
                info.bind(positional, named)

    def test_schemas_that_break_the_rules(self):
        for schema, signature in ((None, "(**arguments)"), ([], "(**arguments)"), ({"properties": []}, "(**arguments)"), ({"required": [1, "a"]}, "(**arguments)"),
                                  ({"properties": {"a": 5, "b": None}, "required": "a"}, "(*, a: Any = None, b: Any = None)"),
                                  ({"properties": {"a": True}}, "(a: Any = None)")):
            info = ToolInfo({"name": "t", "inputSchema": schema})
            with self.subTest(schema):
                self.assertEqual(info.bind((), {"x": 1}), {"x": 1})
                self.assertEqual(str(info.signature()), signature)
                self.assertTrue(info.documentation().startswith("t%s\n\n(no description)" % signature), info.documentation())

    def test_required_but_undescribed(self):
        self.assertEqual(ToolInfo({"name": "t", "inputSchema": {"required": ["a"]}}).bind((1,), {}), {"a": 1})


class Signatures(unittest.TestCase):
    def test_order_kinds_defaults(self):
        info = tool(["from", "b"], b={"type": "integer"}, c={"type": "array", "items": {"type": "string"}, "default": []}, **{"from": {"enum": ["x", 1]}})
        self.assertEqual(str(info.signature()), "(b: int, *, from_: Literal['x', 1], c: list[str] = [])")
        self.assertEqual(info.signature().parameters["from_"].default, inspect.Parameter.empty)

    def test_types(self):
        for schema, text in (({"type": ["string", "null"]}, "str | None"), ({"anyOf": [{"type": "integer"}, {"type": "integer"}]}, "int"), ({}, "Any"),
                             (5, "Any"), ({"type": {}}, "Any"), ({"oneOf": []}, "Any"), ({"type": "object"}, "dict")):
            self.assertEqual(type_text(schema), text)
        nested = {"type": "string"}
        for _ in range(1000):
            nested = {"type": "array", "items": nested}
        self.assertIn("list[list[", type_text(nested))

    def test_wire_names_go_before_aliases(self):
        listing = Listing({"tools": [{"name": "a-b", "alias": "a_b"}, {"name": "a_b", "alias": "a_b_2"}, None]})
        self.assertEqual((listing.find("a_b").name, listing.find("a-b").name, listing.find("a_b_2").name, listing.find("x")), ("a_b", "a-b", "a_b", None))

    def test_the_only_one_that_differs_in_case_and_punctuation(self):
        listing = Listing({"tools": [{"name": name, "alias": alias} for name, alias in (
            ("API-get-user", "api_get_user"), ("listItems", "listitems"), ("a-b", "a_b"), ("a.b", "a_b_1"), ("!!!", "___"))]})
        for wanted, name in (("API_get_user", "API-get-user"), ("api_getUser", "API-get-user"), ("list_items", "listItems"), ("AB", None), ("---", None), ("", None)):
            self.assertEqual(getattr(listing.find(wanted), "name", None), name, wanted)


class Values(unittest.TestCase):
    def test_the_edges_of_the_bound(self):
        self.assertEqual(bounded_repr.bounded("x" * 10, 6, 4), "x" * 10)
        self.assertEqual(bounded_repr.bounded("abcdefghijk", 6, 4), "abcdef\n… 1 characters left out …\nhijk")
        self.assertEqual(bounded_repr.bounded("abc", 0, 0), "\n… 3 characters left out …\n")


if __name__ == "__main__":
    unittest.main()
