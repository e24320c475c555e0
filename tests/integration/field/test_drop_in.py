"""Programs written for mcp-server-code-execution-mode: its calls and its keys, in programs of our own, on servers that answer."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cordon_case import Case  # noqa: E402

OFFICE = str(pathlib.Path(__file__).resolve().parents[2] / "fakes" / "office.py")


def office(kind, **more):
    return dict({"command": sys.executable, "args": [OFFICE, kind]}, **more)


class DropIn(Case):
    servers = {"filesystem": office("files", cwd="/tmp"), "jira": office("tracker"), "github": office("forge"), "api": office("service"),
               "my service": office("service"), "off": office("service", disabled=True)}

    def test_discovery_with_the_keys_of_both(self):
        self.check("""
from mcp import runtime
assert "jira" in runtime.discovered_servers() and "jira" in runtime.list_servers_sync() and "jira" in await runtime.list_servers()
loaded = runtime.list_loaded_server_metadata()
first = runtime.describe_server(loaded[0]["name"])
assert [tool["alias"] for tool in first["tools"]] == ["read_file", "list_directory", "write_file"], first
assert all("input_schema" in tool and tool.get("description", "") for tool in first["tools"])
assert runtime.describe_server("filesystem").get("cwd") == "/tmp"
summaries = await runtime.query_tool_docs(loaded[0]["name"])
detailed = await runtime.query_tool_docs(loaded[0]["name"], tool=summaries[0]["toolAlias"], detail="full")
assert detailed[0]["inputSchema"]["required"] == ["path"], detailed
assert runtime.list_tools_sync(loaded[0]["name"])[0]["alias"] == "read_file"
assert runtime.query_tool_docs_sync(loaded[0]["name"])[0]["toolAlias"] == "read_file"
""")

    def test_docs_of_all_ways_have_all_keys(self):
        self.check("""
ways = [await runtime.query_tool_docs("my service"), runtime.query_tool_docs_sync("my service", tool="check_status"),
        await runtime.search_tool_docs("calendar events", limit=3), runtime.search_tool_docs_sync("check status"),
        await runtime.query_tool_docs("my service", detail="full"), await runtime.search_tool_docs("status", detail="full")]
for docs in ways:
    assert docs
    for doc in docs:
        assert doc["server"] in runtime.discovered_servers() and doc["serverAlias"] == doc["server_alias"] == doc.serverAlias, doc
        assert doc["tool"] == doc["name"] and doc["toolAlias"] == doc["alias"] and doc["description"] and doc["signature"], doc
assert ways[0][0]["serverAlias"] == "my_service"
assert all("inputSchema" in doc for docs in ways[-2:] for doc in docs)
for result in await runtime.search_tool_docs("create an issue", limit=3):
    print(result["server"], result["tool"], result.get("description", ""))
assert "run_python" in runtime.capability_summary()
""")

    def test_issues_are_read_by_attribute(self):
        self.assertEqual(self.value("""
issues = await mcp_jira.search_issues(project="API", status="Open")
made = []
for issue in issues:
    details = await mcp_jira.get_issue(id=issue.id)
    if "bug" in details.description.lower():
        made.append(await mcp_github.create_issue(repo="owner/repo", title=f"Bug: {issue.title}", body=details.description))
[len(made), made[0].ok, (await mcp_github.done())[-1][1]["title"]]"""), "[1, True, 'Bug: Crash at start']")

    def test_files_are_listed_and_read(self):
        self.assertEqual(self.value("""
found = []
for file in await mcp_filesystem.list_directory(path="/tmp"):
    if "TODO" in await mcp_filesystem.read_file(path=file):
        found.append(file)
same = await mcp_servers["filesystem"].read_file(path=found[0])
[found, same[:5]]"""), "[['/tmp/b.txt'], 'TODO:']")

    def test_status_decides(self):
        self.assertEqual(self.value("""
status = await mcp_api.check_status()
result = await mcp_api.execute() if status.ready else None
[result.ok, result.count > 0, status.detail.since]"""), "[True, True, 'today']")

    def test_items_in_parallel(self):
        self.assertEqual(self.value("""
import asyncio
items = await mcp_api.list_items()
results = await asyncio.gather(*[mcp_api.process_item(id=item.id) for item in items])
[result.size for result in results]"""), "[0, 2, 4]")

    def test_a_failure_is_caught_and_keeps_its_structure(self):
        self.assertEqual(self.value("""
try:
    await mcp_api.risky_operation()
except Exception as e:
    import copy
    found = [str(e), e.structured.code, e.structured.retry.after, copy.copy(e).structured == e.structured]
found"""), "['refused by the office\\n{\"code\": \"E_NO\", \"retry\": {\"after\": 5}}', 'E_NO', 5, True]")

    def test_the_timeout_of_one_call(self):
        self.assertEqual(self.value("await mcp_api.long_operation(timeout=60)"), "'finished'")
        self.assertEqual(self.value("mcp_api.long_operation.sync(seconds=0.1, timeout=60)"), "'finished'")
        self.assertEqual(self.value("""
try:
    await mcp_api.long_operation(seconds=3, timeout=0.3)
except runtime.CallTimeout as e:
    found = "long_operation" in str(e)
found"""), "True")

    def test_results_go_where_dicts_go(self):
        self.assertEqual(self.value("""
import copy, json, pickle
issue = (await mcp_jira.search_issues(project="API"))[0]
def named(id, title, description): return title
[json.loads(json.dumps(issue)) == issue, copy.deepcopy(issue).title, type(pickle.loads(pickle.dumps(issue))).__name__, named(**issue),
 isinstance(issue, dict), hasattr(issue, "no"), getattr(issue, "no", 0)]"""), "[True, 'Crash at start', 'dict', 'Crash at start', True, False, 0]")
        self.fails('(await mcp_jira.get_issue(id="P-1")).titel', "AttributeError: no 'titel' here; the keys are 'id', 'title', 'description'")

    def test_a_server_that_is_not_there_says_why(self):
        for code in ("await mcp_off.execute()", "import mcp_off", "from mcp.servers.off import execute", "mcp_servers['off']",
                     "await runtime.call_tool('off', 'execute')", "import mcp\nmcp.servers.off"):
            self.fails(code, 'server "off" cannot be used', "disabled", "servers.json", "enable it there")
        for code in ("await mcp_githup.create_issue()", "import mcp_githup", "mcp_servers['githup']"):
            self.fails(code, "no server is called 'githup'; near: mcp_github")
        self.fails("mcp_weather.now()", "NameError: name 'mcp_weather' is not defined: no server 'weather' is configured (there are: mcp_filesystem", "~/MCPs/*.json")
        self.fails("mcp_MyService", "the server 'my service' is mcp_my_service here")
        for code in ("await mcp_github.done()", "mcp_servers['github']", "await runtime.call_tool('github', 'done')"):
            self.fails(code, "github\" is not in the `servers` of this call; add it there", servers=["jira"])
            self.fails(code, "leave `servers` out: an empty list means none", servers=[])
        self.assertEqual(self.value("try:\n    mcp_off\nexcept NameError as e:\n    found = str(e)\nfound"), "\"name 'mcp_off' is not defined\"")
        self.fails("undefined_name", "NameError: name 'undefined_name' is not defined")
        self.fails("import no_such_module_of_ours", "No module named 'no_such_module_of_ours'")


if __name__ == "__main__":
    unittest.main()
