"""A conversation over stdio."""
import json
import queue
import subprocess
import tempfile
import threading

from form import server_block

LIMIT = 180  # seconds for one answer; for a hang, not for a measure


class Server:
    """A cordon on our pipes."""

    def __init__(self, cordon, settings):
        self.home, flags, environment = settings.prepare()
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen([cordon, "serve", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr,
                                        env=environment)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        self.lines.put(None)

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def next_line(self):
        """What it says next; None when it has ended."""
        try:
            return self.lines.get(timeout=LIMIT)
        except queue.Empty:
            self.process.kill()
            return None

    def end(self):
        """Ends its input; what it still said, and its exit status."""
        self.process.stdin.close()
        rest = []
        while (line := self.next_line()) is not None:
            rest.append(line)
        status = self.process.wait(LIMIT)
        self.process.stdout.close()
        self.stderr.close()
        self.home.cleanup()
        return rest, status


def expects_answer(sent):
    """True where a message of the client's is one that is answered: a request, a batch with one, or no message at all."""
    try:
        message = json.loads(sent)
    except ValueError:
        return True
    parts = message if isinstance(message, list) else [message]
    return not parts or any(not isinstance(part, dict) or "id" in part or "method" not in part for part in parts)


def is_notification(line):
    message = json.loads(line)
    return isinstance(message, dict) and "method" in message


def is_beat(line):
    """True for the sign of life that a client gets every five seconds: only a slow machine gives one here."""
    return is_notification(line) and json.loads(line)["method"] == "notifications/progress" and "total" not in json.loads(line)["params"]


def play(cordon, settings, blocks):
    server = Server(cordon, settings)
    went = ""
    for number, block in enumerate(blocks):
        if block.kind == "<" or block.text().startswith("~ ended"):
            continue
        went += block.text()
        following = blocks[number + 1].text() if number + 1 < len(blocks) else ""
        if block.kind != ">":
            continue
        try:
            sent = json.dumps(json.loads(block.body()))  # one line, however it is laid out here
        except ValueError:
            sent = block.body()
        server.send(sent)
        while expects_answer(sent) and not following.startswith("~ not answered"):
            line = server.next_line()
            if line is None:
                went += "< (nothing: cordon has ended, or is silent)\n"
                break
            if is_beat(line):
                continue
            went += server_block(line)
            if not is_notification(line):
                break
    rest, status = server.end()
    for line in rest:
        went += server_block(line)
    return went + "~ ended: the client closed stdin, cordon's exit status is %d\n" % status
