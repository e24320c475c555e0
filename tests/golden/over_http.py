"""A conversation over HTTP: each POST on a connection of its own, and what comes back to it."""
import http.client
import json
import pathlib
import re
import signal
import subprocess
import tempfile

from form import laid_out, settle

LIMIT = 180  # seconds for one answer; for a hang, not for a measure
ALWAYS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer TOKEN"}
SHOWN = ("Content-Type", "Mcp-Session-Id", "WWW-Authenticate", "Allow", "Retry-After", "Cache-Control", "X-Accel-Buffering")


class Server:
    """A cordon on a free port of loopback."""

    def __init__(self, cordon, settings):
        self.home, flags, environment = settings.prepare()
        flags = [flag.replace("PORT", "0") for flag in flags]
        self.process = subprocess.Popen([cordon, "serve", *flags], stdin=subprocess.DEVNULL, env=environment, stderr=subprocess.PIPE, text=True)
        said = ""
        while "Bearer" not in said:
            line = self.process.stderr.readline()
            assert line, said
            said += line
        self.port = int(re.search(r"serving http://[^/]*:(\d+)/", said).group(1))
        token = pathlib.Path(self.home.name, "state", "http-token").read_text().strip()
        self.names = {"TOKEN": token, "PORT": str(self.port)}  # what the conversation calls what differs from run to run

    def real(self, text):
        for name in sorted(self.names, key=len, reverse=True):
            text = text.replace(name, self.names[name])
        return text

    def named(self, text):
        """The text with names for all that is random in it; what is new gets the next."""
        for value in re.findall(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", text):
            if value not in self.names.values():
                self.names["RANDOM%d" % len([name for name in self.names if name.startswith("RANDOM")])] = value
        for name, value in self.names.items():
            if name != "PORT":
                text = text.replace(value, name)
        return text

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(LIMIT)
        self.process.stderr.close()
        self.home.cleanup()
        return status


class Exchange:
    """One request and its answer."""

    def __init__(self, server, block):
        first, *rest = server.real(block.body()).split("\n")
        method, path = first.split(" ")
        headers = dict(ALWAYS, Host="127.0.0.1:%d" % server.port)
        while rest and (header := re.match(r"([\w-]+): ?(.*)$", rest[0].strip())):
            headers[header[1]] = header[2]
            del rest[0]
        if not rest:
            headers.pop("Content-Type")
        body = "\n".join(rest).strip()
        try:
            body = json.dumps(json.loads(body))  # one line, however it is laid out here
        except ValueError:
            pass
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
        self.connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value:  # "Accept:" with nothing behind it leaves it out
                self.connection.putheader(name, server.real(value))
        if body:
            self.connection.putheader("Content-Length", str(len(body.encode())))
        self.connection.endheaders(body.encode() if body else None)
        self.response = None

    def begin(self):
        """Waits until the server has said that it answers."""
        self.response = self.connection.getresponse()

    def close(self):
        if self.response:
            self.response.close()
        self.connection.close()

    def messages(self, text):
        """What comes back, as (how it is marked, message). A stream's signs of life are left out."""
        if not self.response.headers.get("Content-Type", "").startswith("text/event-stream"):
            return [("", json.loads(text))] if text else []
        events = [json.loads(line[len("data: "):]) for line in text.splitlines() if line.startswith("data: ")]
        events = [each for each in events if "total" in each.get("params", {}) or each.get("method") != "notifications/progress"]
        return [("event: ", each) for each in events]

    def answer(self):
        """As it is written. An answer that takes more than two seconds comes as a stream; alone in it, it is shown as if it had not."""
        if not self.response:
            self.begin()
        headers = self.response.headers
        if headers.get("Mcp-Session-Id"):
            self.server.names["SESSION"] = headers["Mcp-Session-Id"]
        messages = self.messages(self.response.read().decode())
        if len(messages) == 1 and messages[0][0] and "method" not in messages[0][1]:
            messages = [("", messages[0][1])]
            for name in SHOWN:
                del headers[name]
            headers["Content-Type"] = "application/json"
        lines = ["%d %s" % (self.response.status, self.response.reason)]
        lines += ["%s: %s" % (name, headers[name]) for name in SHOWN if name in headers]
        for mark, message in messages:
            if isinstance(message, list):  # a batch is answered in any order
                message.sort(key=lambda each: str(each.get("id", "")))
            lines += (mark + laid_out(settle(message), taken=2 + len(mark))).split("\n")
        if "text/event-stream" in headers.get("Content-Type", ""):
            lines.append("(the stream ends)")
        self.close()
        return self.server.named("< " + "\n  ".join(lines) + "\n")


def play(cordon, settings, blocks):
    server = Server(cordon, settings)
    went, open_exchange = "", None
    for number, block in enumerate(blocks):
        following = blocks[number + 1].text() if number + 1 < len(blocks) else ""
        if block.kind == "<" or block.text().startswith("~ ended"):
            continue
        went += block.text()
        if block.kind == ">":
            exchange = Exchange(server, block)
            if following.startswith("~ goes on"):
                exchange.begin()
                open_exchange = exchange
            else:
                went += exchange.answer()
        elif block.text().startswith("~ the client closes"):
            open_exchange.close()
        elif block.text().startswith("~ the answer to"):
            went += open_exchange.answer()
    return went + "~ ended: cordon was asked to end, its exit status is %d\n" % server.end()
