"""Units and system: what a call returns, read by attribute; content that servers spell in their own ways; errors with structure."""
import base64
import copy
import json
import pickle
import subprocess
import sys
import unittest

import units  # noqa: F401
from _cordon import content, errors, records, results, wire
from test_calls import Case

Record = records.Record
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def record(value):
    return wire.loads(json.dumps(value).encode(), results.scan_records)


class Attributes(unittest.TestCase):
    def test_at_every_depth_by_key_and_by_attribute(self):
        got = record({"id": 1, "of": {"it": [{"name": "a", "deep": [[{"x": 2}]]}]}})
        self.assertEqual((got.id, got.of.it[0].name, got.of.it[0].deep[0][0].x, got["of"]["it"][0]["name"]), (1, "a", 2, "a"))
        self.assertEqual(record([{"id": 1}])[0].id, 1)

    def test_it_is_a_dict(self):
        plain = {"id": 1, "of": {"it": [1, None, "ä", {"x": 1.5}]}}
        got = record(plain)
        self.assertEqual(got, plain)
        self.assertEqual(repr(got), repr(plain))
        self.assertEqual(json.dumps(got), json.dumps(plain))
        self.assertEqual(json.dumps(got, indent=1), json.dumps(plain, indent=1))
        self.assertIsInstance(got, dict)
        self.assertEqual({**got}, plain)
        self.assertEqual((lambda **named: named)(**got), plain)
        self.assertEqual(list(got), ["id", "of"])
        self.assertEqual(got | {"id": 2}, {**plain, "id": 2})
        import pprint
        self.assertEqual(pprint.pformat(got), pprint.pformat(plain))

    def test_copies_answer_attributes_too(self):
        got = record({"of": {"it": [{"x": 1}]}})
        for made in (copy.copy(got), copy.deepcopy(got), got.copy()):
            self.assertEqual(made, got)
            self.assertEqual(made.of.it[0].x, 1)
        deep = copy.deepcopy(got)
        deep.of.it.append(5)
        self.assertEqual(len(got.of.it), 1)
        cycle = record({})
        cycle["self"] = cycle
        self.assertIs(copy.deepcopy(cycle)["self"]["self"].__class__, Record)

    def test_a_pickle_is_read_where_nothing_of_ours_exists(self):
        got = record({"of": {"it": [{"x": 1}]}})
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            data = pickle.dumps(got, protocol)
            self.assertNotIn(b"mcp", data)
            self.assertNotIn(b"cordon", data)
            self.assertIs(type(pickle.loads(data)["of"]), dict)
        code = "import pickle, sys\nvalue = pickle.load(sys.stdin.buffer)\nprint(type(value).__name__, value)"
        read = subprocess.run([sys.executable, "-I", "-c", code], input=pickle.dumps(got), stdout=subprocess.PIPE, check=True)
        self.assertEqual(read.stdout.decode().strip(), "dict {'of': {'it': [{'x': 1}]}}")

    def test_a_method_s_name_stays_the_method(self):
        names = [name for name in dir(dict) if not name.startswith("__")]
        got = record({name: name for name in names})
        for name in names:
            self.assertTrue(callable(getattr(got, name)), name)
            self.assertEqual(got[name], name)

    def test_a_missing_one_says_what_is_there(self):
        with self.assertRaises(AttributeError) as caught:
            record({"id": 1, "title": "x"}).titel
        self.assertEqual(str(caught.exception), "no 'titel' here; the keys are 'id', 'title'")
        with self.assertRaises(AttributeError) as caught:
            record({}).x
        self.assertIn("it has no keys", str(caught.exception))
        with self.assertRaises(AttributeError) as caught:
            record({"k%03d" % number + "x" * 500: 1 for number in range(1000)}).x
        self.assertLess(len(str(caught.exception)), 1500)
        self.assertIn("and 980 more", str(caught.exception))
        self.assertFalse(hasattr(record({"a": 1}), "b"))
        self.assertEqual(getattr(record({"a": 1}), "b", 7), 7)
        with self.assertRaises(KeyError):
            record({"a": 1})["b"]

    def test_no_key_is_taken_for_what_python_asks_for(self):
        asked = ["__deepcopy__", "__array__", "__array_interface__", "__html__", "_repr_html_", "_repr_png_",
                 "_ipython_display_", "__reduce_ex__", "__fspath__", "__len__", "__iter__"]
        got = record({name: "hostile" for name in asked})
        for name in asked:
            self.assertNotEqual(getattr(got, name, None), "hostile", name)
        self.assertEqual(copy.deepcopy(got), got)
        self.assertEqual(copy.copy(got), got)
        self.assertEqual(pickle.loads(pickle.dumps(got)), got)

    def test_attributes_cannot_be_set_by_mistake(self):
        got = record({"a": 1})
        for name in ("a", "b", "items"):
            with self.assertRaises(AttributeError) as caught:
                setattr(got, name, 2)
            self.assertIn("[%r] = " % name, str(caught.exception))
        self.assertEqual(got, {"a": 1})

    def test_yaml_writes_it_as_a_mapping(self):
        try:
            import yaml
            import yaml.representer
        except ImportError:
            self.skipTest("no PyYAML here")
        records.teach_yaml(yaml.representer)
        self.assertEqual(yaml.safe_dump(record({"a": {"b": [1]}})), yaml.safe_dump({"a": {"b": [1]}}))
        self.assertEqual(yaml.dump(record({"a": {"b": [1]}})), yaml.dump({"a": {"b": [1]}}))

    def test_it_costs_about_what_a_plain_dict_costs(self):
        import time
        import tracemalloc
        data = json.dumps([{"id": number, "title": "issue", "labels": [{"name": "a"}]} for number in range(50000)]).encode()

        def cost(scan):
            begin = time.perf_counter()
            value = wire.loads(data, scan)
            seconds = time.perf_counter() - begin
            del value
            tracemalloc.start()
            value = wire.loads(data, scan)
            size, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            del value
            return seconds, size, peak
        plain, ours = cost(wire._scan), cost(results.scan_records)
        self.assertLess(ours[1], plain[1] * 1.3)
        self.assertLess(ours[2], plain[2] * 1.3)
        self.assertLess(ours[0], plain[0] * 6 + 0.5)


class InUserCode(Case):
    def test_structured_text_and_raw_results(self):
        def give(arguments):
            return arguments["result"]
        give.schema = {"type": "object"}
        tools = {"fs": {"give": give}}
        self.assertEqual(self.value_of("""
a = await mcp_fs.give(result={"structuredContent": {"issue": {"id": 7}}})
b = await mcp_fs.give(result={"content": [{"type": "text", "text": '[{"id": 8, "items": 1}]'}]})
c = await runtime.call_tool("fs", "give", {"result": {"content": [], "_meta": {"x": {"y": 9}}}}, raw=True)
d = mcp_fs.give.sync(result={"content": [{"type": "new kind", "of": {"z": 10}}]})
import json
assert json.loads(json.dumps(a)) == a and isinstance(a, dict) and isinstance(a, runtime.Record)
[a.issue.id, b[0].id, b[0]["items"], callable(b[0].items), c._meta.x.y, d.of.z]""", tools=tools), [7, 8, 1, True, 9, 10])
        self.assertIn("the keys are 'ready'", self.error_of('(await mcp_fs.give(result={"structuredContent": {"ready": 1}})).raedy',
                                                            tools=tools))

    def test_it_goes_to_a_child_and_comes_back(self):
        def give(arguments):
            return {"structuredContent": {"of": {"x": 2}}}
        give.schema = {"type": "object"}
        result = self.run_code("""
import multiprocessing
def double(value):
    return type(value).__name__, value["of"]["x"] * 2
if __name__ == "__main__":
    got = mcp_fs.give.sync()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(double, [got]))
""", tools={"fs": {"give": give}})
        self.assertIn("[('dict', 4)]", result.stdout, result)


class Spellings(unittest.TestCase):
    def test_what_is_unambiguous_is_decoded(self):
        for data in (b"", b"a", b"ab", b"abc", PNG, bytes(range(256)) * 3):
            plain = base64.b64encode(data).decode()
            lines = "\r\n".join(plain[at:at + 76] for at in range(0, len(plain), 76))
            url_safe = base64.urlsafe_b64encode(data).decode()
            for spelling in (plain, plain.rstrip("="), plain + "\n", "  " + plain, lines, lines.replace("\r", ""), url_safe,
                             url_safe.rstrip("="), "\ufeff" + plain, plain.replace("A", "A "), "data:image/png;base64," + plain,
                             "DATA:image/png;charset=x;BASE64," + lines, "data:;base64," + url_safe.rstrip("="),
                             "data:image/png;base64," + plain.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
                             list(data), {"type": "Buffer", "data": list(data)}):
                self.assertEqual(content.decoded(spelling)[0], data, spelling)
        self.assertEqual(content.decoded("data:image/png;base64,AA=="), (b"\0", "image/png"))
        self.assertEqual(content.decoded("data:text/plain,a%20b%ff"), (b"a b\xff", "text/plain"))

    def test_what_is_none_says_why(self):
        for value, words in ((None, "there is none"), (7, "of type int"), (True, "of type bool"), ({"a": 1}, "of type dict"),
                             ([1, 300], "not of bytes"), ([True], "not of bytes"), ("AAAAA", "something is missing"),
                             ("AA==AA==", "'=' at character 3"), ("no, not base64", "','"), ("AA\\nAA==", "'\\\\'"),
                             ("a+b_", "two alphabets"), ("data:image/png;base64", "without a comma"), ("ÄÄÄÄ", "'Ä'"),
                             ("data:image/png;base64,%%%%", "'%'"), ("/home/me/picture.png", "'.'"), ("https://x.y/z.png", "':'")):
            with self.assertRaises(ValueError, msg=value) as caught:
                content.decoded(value)
            self.assertIn(words, str(caught.exception))
            self.assertLess(len(str(caught.exception)), 200)

    def test_a_media_object_raises_where_it_is_used(self):
        for block in ({"type": "image", "data": "not base64!", "mimeType": "image/png"}, {"type": "audio", "mimeType": "audio/wav"},
                      {"type": "image", "data": ["x"]}, {"type": "resource", "resource": {"uri": "a:b", "blob": "?"}}):
            media = results.to_python({"content": [block]}, "srv", "tool")
            self.assertIn("cannot be decoded", repr(media))
            for use in (lambda: media.data, lambda: bytes(media), lambda: media.save("/nowhere/at/all")):
                with self.assertRaises(errors.ContentError) as caught:
                    use()
                self.assertIsInstance(caught.exception, (ValueError, RuntimeError))
                self.assertTrue(str(caught.exception).startswith("srv.tool: the content of its " + block["type"]), caught.exception)
                self.assertEqual((caught.exception.server, caught.exception.tool), ("srv", "tool"))
        good = results.to_python({"content": [{"type": "image", "data": "data:image/png;base64,AA=="}]}, "srv", "tool")
        self.assertEqual((good.data, good.mime_type, good.fault), (b"\0", "image/png", None))
        self.assertIsNone(results.to_python({"content": [{"type": "resource", "resource": {"text": "x"}}]}, "s", "t").data)


class Structure(unittest.TestCase):
    def failure(self, **result):
        with self.assertRaises(errors.MCPError) as caught:
            results.to_python(record(dict(result, isError=True)), "srv", "tool")
        return caught.exception

    def test_structured_content_of_an_error(self):
        failure = self.failure(structuredContent={"code": "E42", "retry": {"after": 3}})
        self.assertEqual(failure.structured.retry.after, 3)
        self.assertEqual(str(failure), '{"code": "E42", "retry": {"after": 3}}')
        failure = self.failure(content=[{"type": "text", "text": "it failed"}], structuredContent={"code": "E42"})
        self.assertEqual((str(failure), failure.structured.code), ('it failed\n{"code": "E42"}', "E42"))
        failure = self.failure(content=[{"type": "text", "text": '{"code":"E42"}'}], structuredContent={"code": "E42"})
        self.assertEqual(str(failure), '{"code":"E42"}')
        failure = self.failure(structuredContent={"long": "x" * 5000})
        self.assertLess(len(str(failure)), 1100)
        self.assertEqual(len(failure.structured.long), 5000)

    def test_what_else_an_error_may_hold(self):
        failure = self.failure(content=[{"type": "text", "text": "no"}])
        self.assertEqual((str(failure), failure.structured), ("no", None))
        self.assertEqual(str(self.failure()), "srv: the tool tool failed without saying why")
        failure = self.failure(content=[{"type": "resource", "resource": {"uri": "a:b", "text": "the log"}}])
        self.assertEqual(str(failure), "the log")
        failure = self.failure(content=[{"type": "image", "data": ""}])
        self.assertEqual(str(failure), "srv: the tool tool failed without saying why; in .content: image")

    def test_copies_and_pickles_keep_it(self):
        failure = self.failure(content=[{"type": "text", "text": "no"}], structuredContent={"code": 7})
        sys.modules["mcp"] = sys.modules["mcp.runtime"] = errors  # where user code finds the class
        try:
            for made in (copy.copy(failure), copy.deepcopy(failure), pickle.loads(pickle.dumps(failure))):
                self.assertEqual((str(made), made.server, made.tool, made.content, made.structured),
                                 (str(failure), "srv", "tool", failure.content, {"code": 7}))
        finally:
            del sys.modules["mcp"], sys.modules["mcp.runtime"]

    def test_the_data_of_a_protocol_error(self):
        failure = errors.from_wire(record({"message": "m", "data": {"kind": "upstream", "structured": {"field": "x"}}}), "s", "t")
        self.assertEqual(failure.structured.field, "x")
        self.assertIsNone(errors.from_wire({"message": "m", "data": {"kind": "timeout"}}).structured)


if __name__ == "__main__":
    unittest.main()
