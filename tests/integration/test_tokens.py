"""What Cordon costs a model's context before anything is asked of it: counted, printed, bounded. No engine, and no server is started."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import Cordon, tokens  # noqa: E402

MANY = {"server-with-a-long-name-%03d" % number: {"command": "/bin/false"} for number in range(300)}


class Tokens(unittest.TestCase):
    def offered(self, servers):
        """The tool's definition as it goes over the wire, the tool, and the instructions; their sizes printed."""
        with Cordon(servers=servers) as cordon:
            (tool,) = cordon.request("tools/list")["tools"]
            instructions = cordon.info["instructions"]
        definition = json.dumps(tool, ensure_ascii=False, separators=(",", ":"))
        for what, text in (("definition", definition), ("description in it", tool["description"]), ("instructions", instructions)):
            print("%3d upstream servers: %-17s %4d tokens, %4d characters" % (len(servers or ()), what, tokens(text), len(text)))
        return definition, instructions

    def test_the_tool_has_at_most_200_and_the_same_whatever_stands_behind_it(self):
        definition, instructions = self.offered(None)
        with_many, longer = self.offered(MANY)
        self.assertLessEqual(tokens(definition), 200)
        self.assertEqual(definition, with_many)
        for text in (instructions, longer):
            self.assertTrue(1000 <= len(text) < 2000, len(text))  # clients cut at 2,048 characters, some at 4,096
        self.assertIn("server-with-a-long-name-000", longer)
        self.assertLess(tokens(longer) - tokens(instructions), 300)


if __name__ == "__main__":
    unittest.main()
