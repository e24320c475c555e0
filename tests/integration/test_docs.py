"""What README and its kin say, held against the program and the tree."""
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT  # noqa: E402

README = (ROOT / "README.md").read_text()
FOLDERS = ["runtime_api", "images", "scripts", "src", "tests"]


def blocks(text, language):
    return re.findall(r"^```%s\n(.*?)^```" % language, text, re.S | re.M)


class Readme(unittest.TestCase):
    def test_its_table_of_settings_is_the_program_s(self):
        table = subprocess.run([CORDON, "help", "--settings-table"], capture_output=True, text=True, timeout=LIMIT, check=True).stdout
        between = README.split("<!-- settings: cordon help --settings-table -->\n")[1].split("<!-- settings end -->")[0]
        self.assertEqual(between, table, "put the output of `cordon help --settings-table` there")

    def test_its_configurations_can_be_read(self):
        found = [json.loads(block) for block in blocks(README, "json")]
        self.assertEqual({key for each in found for key in each}, {"mcpServers", "servers", "mcp"})
        self.assertIn("cordon", tomllib.loads(blocks(README, "toml")[0])["mcp_servers"])

    def test_its_policy_is_understood(self):
        with tempfile.TemporaryDirectory(prefix="cordon-docs-") as folder:
            file = pathlib.Path(folder, "policy.toml")
            file.write_text(blocks(README, "toml")[1])
            file.chmod(0o600)
            shown = subprocess.run([CORDON, "policy", "--policy", str(file)], env={"HOME": folder, "PATH": os.environ["PATH"]},
                                   capture_output=True, text=True, timeout=LIMIT, check=True).stdout
        self.assertIn(f'allow filesystem.* where it only reads and /path is under {folder}/notes; calls_per_run = 100', shown)
        self.assertIn("allow github.get_*, github.list_* where /owner is \"me\" and /labels/* is of the form [a-z-]+, or left out", shown)
        self.assertIn("deny all else", shown)

    def test_its_server_list_is_understood(self):
        servers = [block for block in blocks(README, "json") if "description" in block]
        self.assertEqual(len(servers), 1)
        with tempfile.TemporaryDirectory(prefix="cordon-docs-") as folder:
            file = pathlib.Path(folder, "servers.json")
            file.write_text(servers[0])
            ended = subprocess.run([CORDON, "servers", "--json"], capture_output=True, text=True, timeout=LIMIT * 2, env=dict(
                os.environ, HOME=folder, PATH=folder, MCP_SERVERS_CONFIG=str(file), MCP_BRIDGE_STATE_DIR=folder + "/state"))
        listed = {each["name"]: each for each in json.loads(ended.stdout)["servers"]}
        self.assertEqual(listed["filesystem"]["transport"], "stdio")
        self.assertEqual(listed["github"]["transport"], "http")
        self.assertIn("GITHUB_TOKEN", listed["github"]["reason"])  # not set here: that server alone is out

    def test_the_commands_it_names_exist(self):
        for name in re.findall(r"\bcordon (serve|exec|doctor|servers|policy|image|sweep)\b", README):
            self.assertIn("  cordon %s" % name, subprocess.run([CORDON, "help"], capture_output=True, text=True, timeout=LIMIT).stdout)


class ExitStatuses(unittest.TestCase):
    """README's table of `cordon exec`, row by row."""

    def status(self, code, *flags, **environment):
        with tempfile.TemporaryDirectory(prefix="cordon-docs-") as folder:
            ended = subprocess.run([CORDON, "exec", *flags, "-"], input=code, capture_output=True, text=True, timeout=LIMIT * 3,
                                   env=dict(os.environ, HOME=folder, MCP_BRIDGE_STATE_DIR=folder + "/state", **environment))
        self.stderr = ended.stderr
        return ended.returncode

    def test_of_code_that_ran(self):
        for code, status in (("import sys; sys.exit(3)", 3), ("1/0", 1), ("print()", 0), ("import os; os.kill(os.getpid(), 15)", 128 + 15)):
            with self.subTest(code):
                self.assertEqual(self.status(code), status, self.stderr)

    def test_of_limits(self):
        self.assertEqual(self.status("while True: pass", "--timeout", "1"), 124, self.stderr)
        self.assertEqual(self.status("x = bytearray(300 << 20); print(len(x))", "--memory", "64m"), 137, self.stderr)

    def test_of_what_was_not_run(self):
        self.assertEqual(self.status("print()", "--server", "nobody"), 125, self.stderr)
        self.assertEqual(self.status("print()", MCP_BRIDGE_RUNTIME_SOCKET="unix:///nowhere.sock"), 125, self.stderr)
        self.assertEqual(self.status("print()", "--image", "localhost/there-is-no-such-image:1"), 125, self.stderr)
        self.assertEqual(self.status("print()", "--no-such-flag"), 2, self.stderr)
        self.assertEqual(self.status("print()", MCP_BRIDGE_TIMEOUT="soon"), 2, self.stderr)


class Tree(unittest.TestCase):
    def pages(self):
        return [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted((ROOT / folder).rglob("README.md")))]

    def test_each_folder_has_a_page(self):
        folders = [ROOT, *(ROOT / name for name in FOLDERS)]
        folders += [each for name in ("src", "tests") for each in (ROOT / name).iterdir()
                    if any(not part.name.startswith("__") for part in (each.iterdir() if each.is_dir() else ()))]
        missing = [str(folder) for folder in folders if not (folder / "README.md").is_file()]
        self.assertEqual(missing, [])

    def test_paths_that_pages_name_exist(self):
        for page in self.pages():
            for path in re.findall(r"`((?:%s)/[\w./-]+)[` ]" % "|".join(FOLDERS), page.read_text()):
                with self.subTest(page=page.name, path=path):
                    self.assertTrue((ROOT / path).exists(), "%s names %s" % (page, path))

    def test_the_map_names_every_source(self):
        sections = re.split(r"^\| `([\w/]+)/` \| \|$", (ROOT / "src" / "README.md").read_text(), flags=re.M)[1:]
        named = {folder: re.findall(r"`([\w*.]+)`", "\n".join(re.findall(r"^\| (.*?) \| ", body, re.M)))
                 for folder, body in zip(sections[::2], sections[1::2])}
        unnamed = []
        for folder, patterns in named.items():
            for source in sorted((ROOT / "src" / folder).glob("*.*")):
                if source.suffix in (".h", ".cc") and not any(
                        fnmatch.fnmatch(source.stem, pattern.removesuffix(".h")) for pattern in patterns):
                    unnamed.append("%s/%s" % (folder, source.name))
        self.assertEqual(unnamed, [], "add them to a line of src/README.md")
        stale = [folder + "/" + pattern for folder, patterns in named.items() for pattern in patterns
                 if not any((ROOT / "src" / folder).glob(pattern.removesuffix(".h") + ".*"))]
        self.assertEqual(stale, [], "src/README.md names what is not there")


if __name__ == "__main__":
    unittest.main()
