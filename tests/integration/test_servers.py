"""Upstream servers that nobody of us wrote, called from code in real containers: their results, and their schemas, which the host checks before a call is sent."""
import base64
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_case import Case  # noqa: E402
from cordon_client import npm_server  # noqa: E402

UUID = "11111111-1111-1111-1111-111111111111"


class Servers(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="cordon-servers-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.repository = pathlib.Path(cls.folder, "repository")
        cls.host_git("init", "--quiet", "--initial-branch=main", cls.repository)
        cls.servers = {
            "git": npm_server("@cyanheads/git-mcp-server", env={"GIT_SIGN_COMMITS": "false", "MCP_LOG_LEVEL": "error", "LOGS_DIR": cls.folder, "GIT_CONFIG_NOSYSTEM": "1",
                                                               **{"GIT_%s_%s" % (who, what): "n@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}),
            "notion": npm_server("@notionhq/notion-mcp-server", env={"NOTION_TOKEN": "ntn_none"}),
            "echarts": npm_server("mcp-echarts"), "context7": npm_server("@upstash/context7-mcp"),
            "thinking": npm_server("@modelcontextprotocol/server-sequential-thinking")}
        super().setUpClass()

    @staticmethod
    def host_git(*arguments):
        return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}).stdout

    def refused_by_the_host(self, call, *words):
        """The arguments are: no server was called, and the message says these words."""
        result = self.fails(call, "ArgumentError", *words)
        self.assertNotIn("servers", result.facts, result)

    def test_every_tool_can_be_reached_and_has_a_signature_and_help(self):
        text = self.check("import inspect, pydoc\nfor name, server in mcp_servers.items():\n    tools = runtime.list_tools_sync(name)\n"
                          "    for tool in tools:\n        for each in (tool['name'], tool['alias'], tool['name'].replace('-', '_')):\n"
                          "            inspect.signature(getattr(server, each))\n            assert len(pydoc.render_doc(getattr(server, each))) > 40\n"
                          "    print(name, len(tools))", timeout=100)
        self.assertEqual(sorted(text.splitlines()), ["context7 2", "echarts 18", "git 28", "notion 24", "thinking 1"])

    def test_a_chart_is_a_picture(self):
        result = self.cordon.run("chart = await mcp_echarts.generate_bar_chart(data=[{'category': 'a', 'value': 1}, {'category': 'b', 'value': 2.5}], width=400, height=300)\n"
                                 "print(type(chart).__name__, chart.mime_type)\ndisplay(chart)\nopen(chart.save('/workspace/chart.png'), 'rb').read() == chart.data", timeout=100)
        self.assertEqual(result.text.splitlines(), ["Media image/png", "True", "[1 image follows]"], result)
        self.assertEqual([block["type"] for block in result.blocks], ["text", "image"])
        picture = base64.b64decode(result.blocks[1]["data"])
        self.assertEqual((picture[:8], struct.unpack(">II", picture[16:24])), (b"\x89PNG\r\n\x1a\n", (1200, 900)))  # it draws at three pixels a point
        self.assertTrue(self.value("await mcp_echarts.generate_bar_chart(data=[{'category': 'a', 'value': 1}], outputType='svg')").startswith("'<svg "))

    def test_a_commit_and_its_log(self):
        (self.repository / "a.txt").write_text("a\n")
        text = self.check("await mcp_git.git_set_working_dir(path=%r)\nawait mcp_git.git_add(paths=['a.txt'])\nmade = await mcp_git.git_commit(message='the first: zwölf')\n"
                          "found = await mcp_git.git_log(maxCount=5)\nprint(found['commits'][0]['subject'], found['commits'][0]['hash'] == made['commitHash'])" % str(self.repository), timeout=100)
        self.assertEqual(text, "the first: zwölf True\n")
        self.assertEqual(self.host_git("-C", self.repository, "log", "--format=%s").strip(), "the first: zwölf")

    def test_git_arguments(self):
        for call, words in (("git_log(maxCount=0)", ("maxCount", "0", "at least 1")), ("git_log(oneline='yes')", ("oneline", '"yes"', "boolean")),
                            ("git_log(filePaht='a')", ("filePaht", 'did you mean "filePath"')), ("git_commit()", ("message", "missing", "string")),
                            ("git_commit(message='m', author={'name': 'n', 'emial': 'e'})", ("author.email", "missing", "emial")),
                            ("git_branch(mode='lst')", ("mode", '"lst"', '"rename"', 'did you mean "list"')),
                            ("git_changelog_analyze(reviewTypes=['gaps', 'securty'])", ("reviewTypes[1]", '"securty"', "quality", 'did you mean "security"'))):
            with self.subTest(call):
                self.refused_by_the_host("await mcp_git." + call, *words)

    def test_notion_arguments(self):
        for call, words in (("get_user(user_id='nobody')", ("user_id", '"nobody"', "uuid")), ("query_data_source(data_source_id='d', page_size='all')", ("page_size", '"all"', "integer")),
                            ("post_page(parent={'pageid': %r}, properties={})" % UUID, ("parent.page_id", "missing", "pageid")),
                            ("patch_page(page_id=%r, icon={'emjoi': 'x'})" % UUID, ("icon.emjoi", 'did you mean "emoji"')),
                            ("move_page(page_id=%r, parent={'type': 'pag_id', 'page_id': %r})" % (UUID, UUID),
                             ("parent.type", '"pag_id"', '"workspace"', 'did you mean "page_id"'))):
            with self.subTest(call):
                self.refused_by_the_host("await mcp_notion.API_" + call, *words)
        # what is right is sent; without its account the answer is an error of the server's own
        for call in ("API_get_user(user_id=%r)" % UUID, "API_post_page(parent={'page_id': %r}, properties={'title': []})" % UUID):
            result = self.fails("await mcp_notion." + call, "MCPError", timeout=100)
            self.assertEqual(result.facts.get("servers"), ["notion"], result)

    def test_other_arguments(self):
        for call, words in (("echarts.generate_bar_chart(data=[{'category': 'a', 'valeu': 1}], theme='drak')", ("data[0].value", "missing", "data[0].valeu", 'did you mean "dark"')),
                            ("echarts.generate_bar_chart(data=[])", ("data", "at least 1")), ("thinking.sequentialthinking(thought='t', nextThoughtNeeded=False, thoughtNumber=0, totalThoughts=1)",
                                                                                             ("thoughtNumber", "0", "at least 1")),
                            ("context7.resolve_library_id(query='q', libraryNmae='n')", ("libraryName", "missing", "libraryNmae"))):
            with self.subTest(call):
                self.refused_by_the_host("await mcp_" + call, *words)
        self.assertEqual(self.value("(await mcp_thinking.sequentialthinking(thought='t', nextThoughtNeeded=False, thoughtNumber=1, totalThoughts=1))['thoughtNumber']"), "1")

    def test_search_over_all_of_them(self):
        for words, first in (("draw a bar chart", "generate_bar_chart"), ("commit history", "git_log"), ("find library id", "resolve-library-id")):
            with self.subTest(words):
                self.assertIn(repr(first), self.value("[d['name'] for d in await runtime.search_tool_docs(%r, limit=3)]" % words))


if __name__ == "__main__":
    unittest.main()
