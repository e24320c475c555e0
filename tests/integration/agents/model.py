"""A model on loopback that does what a script says: for agents that speak to Anthropic's, OpenAI's or Google's API.

It calls the script's tools one a turn, then says DONE. What it was given is kept: `results` are the tool results of the last request, as a model sees them.
"""
import http.server
import json
import threading


class Result:
    """What a model was given for one call: texts joined, images as (MIME type, base64), and whether it was marked as an error."""

    def __init__(self, text="", images=(), is_error=None):
        self.text, self.images, self.is_error = text, list(images), is_error

    def __repr__(self):
        return "<%s%d images: %r>" % ("error " if self.is_error else "", len(self.images), self.text[:2000])


class Model:
    """`script`: what to call, as (name, arguments); a dialect's names are the agent's."""

    def __init__(self, script):
        self.script, self.requests, self.strange = script, [], []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                model.strange.append("GET " + self.path)
                self.whole({"object": "list", "data": [{"id": "m", "object": "model"}], "models": []})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                for dialect in DIALECTS:
                    if dialect.path in self.path:
                        return dialect(self, model, body).answer()
                model.strange.append("POST " + self.path)
                self.whole({"input_tokens": 100, "totalTokens": 100})  # Anthropic's and Google's counters, and what else there is

            def whole(self, body):
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def stream(self, events):
                """Server-sent events: (name or None, object or text)."""
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for name, event in events:
                    text = event if isinstance(event, str) else json.dumps(event)
                    self.wfile.write((("event: %s\n" % name if name else "") + "data: %s\n\n" % text).encode())
                    self.wfile.flush()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def results(self):
        """Of all calls, from the request that had most of them."""
        return max((request.results() for request in self.requests), key=len, default=[])

    @property
    def last(self):
        """The request that had most results."""
        return max(self.requests, key=lambda request: len(request.results()))


class Dialect:
    """One request of an API: what came, and the answer that the script has for it."""

    path = ""

    def __init__(self, handler, model, body):
        self.handler, self.model, self.body = handler, model, body

    def turn(self):
        """The script's next call, with its number; None when it is over, or where no tools are offered (titles, summaries)."""
        done = len(self.results())
        if self.tools() and done < len(self.model.script):
            return done, *self.model.script[done]
        return None

    def answer(self):
        self.model.requests.append(self)
        self.reply(self.turn())


class Anthropic(Dialect):
    path = "/v1/messages"

    def answer(self):
        if "count_tokens" in self.handler.path:
            return self.handler.whole({"input_tokens": 100})
        super().answer()

    def tools(self):
        return {tool["name"]: tool for tool in self.body.get("tools", []) if "name" in tool}

    def system(self):
        return json.dumps(self.body.get("system", ""), ensure_ascii=False) + json.dumps(self.body["messages"], ensure_ascii=False)

    def results(self):
        found = []
        for message in self.body["messages"]:
            blocks = message["content"] if isinstance(message["content"], list) else []
            for block in blocks:
                if block.get("type") == "tool_result":
                    content = block.get("content", "")
                    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
                    found.append(Result("".join(part["text"] for part in parts if part["type"] == "text"),
                                        [(part["source"]["media_type"], part["source"]["data"]) for part in parts if part["type"] == "image"],
                                        bool(block.get("is_error"))))
        return found

    def reply(self, turn):
        block, stop = {"type": "text", "text": "DONE"}, "end_turn"
        if turn:
            block, stop = {"type": "tool_use", "id": "toolu_%d" % turn[0], "name": turn[1], "input": turn[2]}, "tool_use"
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.body.get("model", "m"), "content": [], "stop_reason": None,
                   "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
        if not self.body.get("stream"):
            return self.handler.whole(dict(message, content=[block], stop_reason=stop))
        if turn:
            empty, delta = dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(turn[2])}
        else:
            empty, delta = dict(block, text=""), {"type": "text_delta", "text": block["text"]}
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": empty},
                  {"type": "content_block_delta", "index": 0, "delta": delta},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}},
                  {"type": "message_stop"}]
        self.handler.stream((event["type"], event) for event in events)


class Responses(Dialect):
    """OpenAI's newer API. A name is (namespace, tool)."""

    path = "/responses"

    def tools(self):
        found = {}
        for tool in self.body.get("tools", []):
            found[tool.get("name", tool["type"])] = tool
        return found

    def system(self):
        return json.dumps(self.body, ensure_ascii=False)

    def results(self):
        found = []
        for item in self.body.get("input", []):
            if item.get("type") == "function_call_output":
                output = item["output"]
                parts = [{"type": "input_text", "text": output}] if isinstance(output, str) else output
                images = [part["image_url"] for part in parts if part["type"] == "input_image"]
                found.append(Result("".join(part["text"] for part in parts if part["type"] == "input_text"),
                                    [tuple(url[len("data:"):].split(";base64,")) for url in images]))
        return found

    def reply(self, turn):
        item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "DONE", "annotations": []}]}
        if turn:
            number, (namespace, name), arguments = turn
            item = {"type": "function_call", "id": "fc_%d" % number, "call_id": "call_%d" % number, "arguments": json.dumps(arguments),
                    "status": "completed", "namespace": namespace, "name": name}
        usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0},
                 "total_tokens": 2}
        response = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": [item], "usage": usage}
        events = [{"type": "response.created", "response": dict(response, status="in_progress", output=[])},
                  {"type": "response.output_item.added", "output_index": 0, "item": item},
                  {"type": "response.output_item.done", "output_index": 0, "item": item},
                  {"type": "response.completed", "response": response}]
        self.handler.stream((event["type"], event) for event in events)


class Chat(Dialect):
    """OpenAI's older API, which others speak, too."""

    path = "/chat/completions"

    def tools(self):
        return {tool["function"]["name"]: tool["function"] for tool in self.body.get("tools", [])}

    def system(self):
        return json.dumps([each for each in self.body["messages"] if each["role"] == "system"], ensure_ascii=False)

    def results(self):
        """Images come in a message of the user's behind the result."""
        found = []
        for message in self.body["messages"]:
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
            images = [tuple(part["image_url"]["url"][len("data:"):].split(";base64,")) for part in parts if part["type"] == "image_url"]
            if message["role"] == "tool":
                found.append(Result("".join(part["text"] for part in parts if part["type"] == "text"), images))
            elif images and found:
                found[-1].images += images
        return found

    def reply(self, turn):
        def chunk(delta, finish=None):
            usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}} if finish else {}
            return None, {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
                          "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **usage}
        if turn:
            function = {"name": turn[1], "arguments": json.dumps(turn[2])}
            call = {"index": 0, "id": "call_%d" % turn[0], "type": "function", "function": function}
            events = [chunk({"role": "assistant", "tool_calls": [call]}), chunk({}, "tool_calls")]
        else:
            events = [chunk({"role": "assistant", "content": "DONE"}), chunk({}, "stop")]
        self.handler.stream([*events, (None, "[DONE]")])


class Google(Dialect):
    path = "enerateContent"  # generateContent, streamGenerateContent

    def tools(self):
        return {each["name"]: each for tool in self.body.get("tools", []) for each in tool.get("functionDeclarations", [])}

    def system(self):
        return json.dumps([self.body.get("systemInstruction"), self.body["contents"]], ensure_ascii=False)

    def results(self):
        """Images come as parts beside the result's own, or within it."""
        found = []
        for content in self.body["contents"]:
            for part in content["parts"]:
                answer = part.get("functionResponse")
                if answer:
                    response = answer["response"]
                    found.append(Result(response.get("output", response.get("error", json.dumps(response))), is_error="error" in response))
                inner = (answer or {}).get("parts", []) + [part]
                for data in [each["inlineData"] for each in inner if "inlineData" in each]:
                    if found:
                        found[-1].images.append((data["mimeType"], data["data"]))
        return found

    def reply(self, turn):
        part = {"functionCall": {"id": "call_%d" % turn[0], "name": turn[1], "args": turn[2]}} if turn else {"text": "DONE"}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        if "stream" in self.handler.path:
            self.handler.stream([(None, answer)])
        else:
            self.handler.whole(answer)


DIALECTS = [Anthropic, Responses, Chat, Google]
