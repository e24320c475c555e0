"""Every example of the manual runs, as it stands there, against real servers."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import Cordon, npm_server  # noqa: E402

URI = "resource://mcp-server-code-execution-mode/capabilities"
# The folder that the examples speak of; the server here may use another.
SAID = "/data/"


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cordon-manual-")
        pathlib.Path(cls.folder.name, "a.txt").write_text("hello from a file\n")
        cls.cordon = Cordon(servers={"filesystem": npm_server("@modelcontextprotocol/server-filesystem", cls.folder.name)})
        cls.manual = cls.cordon.request("resources/read", {"uri": URI})["contents"][0]["text"]
        cls.examples = re.findall(r"^```python\n(.*?)^```$", cls.manual, re.S | re.M)

    @classmethod
    def tearDownClass(cls):
        cls.cordon.close()
        cls.folder.cleanup()

    def run_example(self, words, before=""):
        """The result of the one example that holds these words."""
        found = [example for example in self.examples if words in example]
        self.assertEqual(len(found), 1, words)
        return self.cordon.run(before + found[0].replace(SAID, self.folder.name + "/"))

    def test_every_example_runs(self):
        self.assertGreaterEqual(len(self.examples), 8)
        for example in self.examples:
            with self.subTest(example):
                result = self.cordon.run(example.replace(SAID, self.folder.name + "/"))
                self.assertEqual(result.status, "success", result)

    def test_they_do_what_is_said(self):
        found = self.run_example("search_tool_docs").text
        self.assertIn("['filesystem']", found)
        self.assertIn("read_file(path: str", found)
        docs = self.run_example("query_tool_docs").text
        self.assertIn("inputSchema", docs)
        self.assertIn("list_directory", docs)
        self.assertIn("Access denied", self.run_example("MCPError").text)
        self.assertIn("any text, a dict", self.run_example("display(").text)
        self.assertIn("report.csv", self.run_example("artifacts").text)
        self.assertIn("'plus'", self.run_example("save_tool").text)
        self.assertEqual(self.cordon.run("from mcp.tools import plus\nplus(2, 3)").text, "5")

    def test_three_ways_to_call_give_the_same(self):
        example = next(each for each in self.examples if ".sync(" in each).replace(SAID, self.folder.name + "/")
        self.assertEqual(self.cordon.run(example + "print(text == same == also, 'hello from a file' in str(text))").text, "True True\n")

    def test_the_code_can_read_it_too(self):
        code = "said = runtime.capability_summary()\nprint(said.startswith(%r), end=' ')\nprint(repr(said[%d:]))" % (self.manual, len(self.manual))
        begins, _, rest = self.cordon.run(code).text.partition(" ")
        self.assertEqual(begins, "True")
        # what the image's label says is in it: known to a run alone, since the resource is read without an engine
        self.assertRegex(rest, r"^'(\\n## This image\\n\\n[^\\]+\\n)?'\n$")


if __name__ == "__main__":
    unittest.main()
