"""How the cordon of a conversation is started: an empty home, and what the `$` lines say."""
import json
import os
import pathlib
import shlex
import tempfile

FAKES = pathlib.Path(__file__).resolve().parents[1] / "fakes"


class Settings:
    def __init__(self, blocks):
        self.lines = [block.body() for block in blocks if block.kind == "$"]
        self.flags = next((shlex.split(line)[2:] for line in self.lines if line.startswith("cordon serve")), [])

    def prepare(self):
        """The home, the flags and the environment to start it with."""
        home = tempfile.TemporaryDirectory(prefix="cordon-golden-")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MCP_SERVERS"))}
        environment.update(HOME=home.name, MCP_BRIDGE_STATE_DIR=home.name + "/state")
        for line in self.lines:
            if line.startswith("servers "):
                text = line[len("servers "):].replace("FAKES", str(FAKES))
                pathlib.Path(home.name, "MCPs").mkdir()
                pathlib.Path(home.name, "MCPs", "golden.json").write_text(json.dumps({"mcpServers": json.loads(text)}))
        return home, self.flags, environment
