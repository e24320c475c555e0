"""The worker: a server's tools as the host lists them, and how Python's arguments become a tool's."""
import inspect
import keyword
import re

EMPTY = inspect.Parameter.empty
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict",
         "null": "None"}


def python_name(parameter):
    """A parameter's name as Python can write it: `user-id` is `user_id`, `from` is `from_`."""
    name = re.sub(r"\W", "_", parameter)  # letters of any language are letters to Python
    if not name or name[0].isdigit():
        name = "_" + name
    return name + "_" if keyword.iskeyword(name) else name


def letters(name):
    """What is left of a name without case and punctuation; the host has the same."""
    return re.sub(r"[^0-9a-z\x80-\U0010ffff]", "", re.sub("[A-Z]", lambda found: found[0].lower(), name))


class ToolInfo:
    """One tool: its wire name, its alias, and its parameters, the required ones first."""

    def __init__(self, facts):
        self.facts = facts
        self.name = facts.get("name", "")
        self.alias = facts.get("alias") or python_name(self.name)
        schema = facts.get("inputSchema")
        schema = schema if isinstance(schema, dict) else {}
        properties = schema.get("properties")
        self.properties = properties if isinstance(properties, dict) else {}
        required = schema.get("required")
        self.required = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        self.open_ended = schema.get("additionalProperties", True) is not False
        # `timeout=` is then no argument but the limit of the call
        self.has_no_timeout = "properties" in schema and "timeout" not in self.properties and not schema.get("additionalProperties")
        self.wire_names = {}
        for name in self.properties:  # two with the same Python name are reachable by their own only
            python = python_name(name)
            self.wire_names[python] = None if python in self.wire_names else name

    def wire_name(self, name):
        """The parameter that `name` means; an unknown one as it is, for the host to judge."""
        return name if name in self.properties else self.wire_names.get(name) or name

    def first_parameter(self):
        """The one that a single positional argument goes to: the only one, or the first that is required."""
        in_order = [name for name in self.properties if name in self.required] or self.required
        if in_order:
            return in_order[0]
        return next(iter(self.properties)) if len(self.properties) == 1 else None

    def bind(self, positional, named):
        """The `arguments` object of a call; TypeError that says how the tool is called."""
        arguments = {}
        if len(positional) == 1 and isinstance(positional[0], dict) and not named:
            return {self.wire_name(name): value for name, value in positional[0].items()}
        if positional:
            first = self.first_parameter()
            if len(positional) > 1 or first is None:
                raise TypeError("%s() takes %s; give the others by name: %s" % (
                    self.alias, "one positional argument" if first else "no positional argument", self.call_text()))
            arguments[first] = positional[0]
        for name, value in named.items():
            wire = self.wire_name(name)
            if wire in arguments:
                raise TypeError("%s() got two values for %r" % (self.alias, wire))
            arguments[wire] = value
        return arguments

    def call_text(self):
        return "%s%s" % (self.alias, self.signature())

    def signature(self):
        """An inspect.Signature: the first required parameter may be positional, all others are named."""
        names = [name for name in self.properties if name in self.required]
        names += [name for name in self.properties if name not in self.required]
        taken, parameters, first = set(), [], self.first_parameter()
        names.sort(key=lambda name: name != first)
        for name in names:
            python = python_name(name)
            if python in taken:
                continue
            taken.add(python)
            schema = self.properties[name] if isinstance(self.properties[name], dict) else {}
            default = EMPTY if name in self.required else schema.get("default")
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if name == first else inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(python, kind, default=default, annotation=Annotation(type_text(schema))))
        if self.open_ended and not self.properties:
            parameters.append(inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(parameters)

    def documentation(self):
        """For help(): signature, description, parameters."""
        lines = [self.call_text(), "", self.facts.get("description") or "(no description)"]
        if self.properties:
            lines += ["", "Parameters:"]
        for name, schema in self.properties.items():
            schema = schema if isinstance(schema, dict) else {}
            python = python_name(name)
            lines.append("    %s: %s%s%s%s" % (
                python, type_text(schema), "" if name in self.required else ", optional",
                " (sent as %r)" % name if python != name else "",
                " - %s" % schema["description"] if isinstance(schema.get("description"), str) else ""))
        return "\n".join(lines)


class Annotation:
    """A type as it is written; signatures show it without quotes."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def type_text(schema, depth=0):
    """A Python type for a schema, roughly: for people to read."""
    text = plain_type_text(schema, depth)
    if isinstance(schema, dict) and schema.get("nullable") is True and text != "Any":  # OpenAPI's
        return union(text.split(" | ") + ["None"]) if "[" not in text else text + " | None"
    return text


def plain_type_text(schema, depth):
    if not isinstance(schema, dict) or depth > 4:
        return "Any"
    if isinstance(schema.get("enum"), list) and len(schema["enum"]) <= 12:
        return "Literal[%s]" % ", ".join(map(repr, schema["enum"]))
    for joined in ("anyOf", "oneOf"):
        if isinstance(schema.get(joined), list):
            return union([type_text(part, depth + 1) for part in schema[joined][:12]])
    kind = schema.get("type")
    if isinstance(kind, list):
        return union([TYPES.get(str(part), "Any") for part in kind])
    if kind == "array" and isinstance(schema.get("items"), dict):
        return "list[%s]" % type_text(schema["items"], depth + 1)
    return TYPES.get(str(kind), "Any")


def union(parts):
    return " | ".join(dict.fromkeys(parts)) or "Any"


class Listing:
    """All tools of one server."""

    def __init__(self, answer):
        answer = answer if isinstance(answer, dict) else {}
        self.server = answer.get("server") or {}
        self.tools = [ToolInfo(facts) for facts in answer.get("tools") or [] if isinstance(facts, dict)]
        self.by_alias = {tool.alias: tool for tool in self.tools}
        self.by_name = {tool.name: tool for tool in self.tools}

    def find(self, name):
        """The tool of this name or alias, or None. A wire name goes before an alias, and both before the only tool
        whose name differs in case and punctuation alone: `get_user`, `API_get_user` are as good as `API-get-user`."""
        found = self.by_name.get(name) or self.by_alias.get(name)
        wanted = "" if found else letters(name)
        alike = [tool for tool in self.tools if letters(tool.name) == wanted] if wanted else []
        return alike[0] if len(alike) == 1 else found
