#include "src/search/tool_docs.h"

#include <algorithm>
#include <set>

#include "src/base/json_tree.h"
#include "src/search/python_name.h"

namespace search {

namespace {

constexpr std::size_t most_signature = 2000;
constexpr std::size_t most_names = 200;
constexpr std::size_t most_values = 100'000; // of a schema; beyond, none of it is read
constexpr int most_depth = 64;
constexpr std::size_t most_literals = 160; // bytes of values in a signature
constexpr std::size_t most_choices = 16;   // of one type that are looked at
constexpr int most_nesting = 4; // of a type in a signature: list[dict[str, list[…]]] helps nobody

/// One schema while its signature is written. Choices within choices grow fast, so only so many types are
/// looked at; the rest is Any.
struct Reading {
    const json::Tree& root;
    std::size_t left = 4000; ///< Types, and members gone through by sixteens.

    void spend(std::size_t steps) { left -= std::min(left, steps); }
};

/// The schema that a local `$ref` leads to; the schema itself where there is none. A cycle ends after a few
/// steps.
const json::Tree& resolve(Reading& in, const json::Tree& schema) {
    const json::Tree* at = &schema;
    for (int steps = 0; steps < 8; ++steps) {
        std::string_view ref = at->find_text("$ref");
        if (!ref.starts_with("#/")) break;
        const json::Tree* target = &in.root;
        while (target && !ref.empty()) { // "#/$defs/Name"
            ref.remove_prefix(std::min(ref.find('/'), ref.size() - 1) + 1);
            const std::string_view key = ref.substr(0, ref.find('/'));
            in.spend(1 + target->members.size() / 16);
            target = target->find(key);
            ref.remove_prefix(key.size());
        }
        if (!target) break;
        at = target;
    }
    return *at;
}

/// A JSON value as Python writes it; "..." for one that is long or nested.
std::string literal(const json::Tree& value) {
    switch (value.kind) {
    case json::Kind::null:
        return "None";
    case json::Kind::boolean:
        return value.flag ? "True" : "False";
    case json::Kind::number:
        return value.text;
    case json::Kind::string:
        return value.text.size() <= 60 ? json::quote(value.text) : "...";
    case json::Kind::array:
        return value.items.empty() ? "[]" : "...";
    case json::Kind::object:
        return value.members.empty() ? "{}" : "...";
    }
    return "...";
}

/// Alternatives of a union, each once, None last.
struct Union {
    std::vector<std::string> parts;
    bool none = false;

    void add(const std::string& part) {
        if (part == "None")
            none = true;
        else if (std::find(parts.begin(), parts.end(), part) == parts.end())
            parts.push_back(part);
    }
    std::string str() const {
        if (parts.empty()) return none ? "None" : "Any";
        if (parts.size() > 6 || std::find(parts.begin(), parts.end(), "Any") != parts.end()) return "Any";
        std::string text;
        for (const std::string& part : parts) text += (text.empty() ? "" : " | ") + part;
        return none ? text + " | None" : text;
    }
};

std::string type_of(Reading& in, const json::Tree& schema, int nesting);

/// "Literal[\"a\", \"b\"]", or "" where the values are too many to show.
std::string literals(const std::vector<json::Tree>& values) {
    std::string text;
    bool none = false;
    for (const json::Tree& value : values) {
        const std::string each = literal(value);
        if (each == "..." || text.size() > most_literals) return "";
        if (each == "None")
            none = true;
        else
            text += (text.empty() ? "" : ", ") + each;
    }
    if (text.empty()) return none ? "None" : "";
    if (text.size() > most_literals) return "";
    return "Literal[" + text + "]" + (none ? " | None" : "");
}

std::string named_type(Reading& in, const json::Tree& schema, std::string_view name, int nesting) {
    if (name == "string") return "str";
    if (name == "integer") return "int";
    if (name == "number") return "float";
    if (name == "boolean") return "bool";
    if (name == "null") return "None";
    if (name == "array") {
        const json::Tree* items = schema.find("items");
        const std::string inner = items && items->is_object() ? type_of(in, *items, nesting + 1) : "Any";
        return inner == "Any" ? "list" : "list[" + inner + "]";
    }
    if (name == "object") {
        const json::Tree* values = schema.find("additionalProperties");
        const bool is_map = values && values->is_object() && !schema.find("properties");
        const std::string inner = is_map ? type_of(in, *values, nesting + 1) : "Any";
        return inner == "Any" ? "dict" : "dict[str, " + inner + "]";
    }
    return "Any";
}

std::string plain_type_of(Reading& in, const json::Tree& schema, int nesting);

std::string type_of(Reading& in, const json::Tree& given, int nesting) {
    if (nesting > most_nesting || in.left == 0) return "Any";
    in.spend(1);
    const json::Tree& schema = resolve(in, given);
    const std::string text = plain_type_of(in, schema, nesting);
    const json::Tree* nullable = schema.find("nullable"); // OpenAPI's
    const bool adds = nullable && nullable->flag && text != "Any" && !text.ends_with("None");
    return adds ? text + " | None" : text;
}

std::string plain_type_of(Reading& in, const json::Tree& schema, int nesting) {
    if (const json::Tree* value = schema.find("const"))
        if (std::string text = literals({*value}); !text.empty()) return text;
    if (const json::Tree* values = schema.find("enum"))
        if (std::string text = literals(values->items); !text.empty()) return text;
    Union all;
    if (const json::Tree* type = schema.find("type")) {
        if (type->is_string()) return named_type(in, schema, type->text, nesting);
        for (std::size_t i = 0; i < type->items.size() && i < most_choices; ++i)
            all.add(named_type(in, schema, type->items[i].text, nesting));
        return all.str();
    }
    for (const char* key : {"anyOf", "oneOf"})
        if (const json::Tree* choices = schema.find(key)) {
            for (std::size_t i = 0; i < choices->items.size() && i < most_choices; ++i)
                all.add(type_of(in, choices->items[i], nesting + 1));
            return all.str();
        }
    if (const json::Tree* parts = schema.find("allOf"); parts && parts->items.size() == 1)
        return type_of(in, parts->items.front(), nesting + 1);
    return schema.find("properties") ? "dict" : "Any";
}

struct Parameter {
    std::string text;
    bool required = false;
};

std::vector<Parameter> parameters(const json::Tree& root) {
    std::vector<Parameter> found;
    Reading in{root};
    const json::Tree& schema = resolve(in, root);
    const json::Tree* properties = schema.find("properties");
    if (!properties) return found;
    std::set<std::string_view> required;
    if (const json::Tree* names = schema.find("required"))
        for (const json::Tree& name : names->items) required.insert(name.text);
    std::set<std::string> taken; // an exact name goes before one that was made fit
    for (const auto& [name, unused] : properties->members) taken.insert(name);
    for (const auto& [name, property] : properties->members) {
        if (found.size() == most_names) break;
        const std::string alias = parameter_alias(name);
        if (alias != name && !taken.insert(alias).second) continue; // reachable through **{…} only
        Parameter parameter;
        parameter.required = required.contains(name);
        const std::string type = type_of(in, property, 0);
        const json::Tree* preset = property.find("default");
        parameter.text = type == "Any" ? alias : alias + ": " + type;
        const char* equals = type == "Any" ? "=" : " = ";
        if (!parameter.required) parameter.text += equals + (preset ? literal(*preset) : std::string("..."));
        found.push_back(std::move(parameter));
    }
    std::stable_partition(found.begin(), found.end(), [](const Parameter& p) { return p.required; });
    return found;
}

} // namespace

std::string python_signature(std::string_view alias, std::string_view input_schema) {
    std::string text(alias.substr(0, most_signature / 2));
    text += '(';
    try {
        const json::Tree root = json::read_tree(input_schema, most_values, most_depth);
        const std::vector<Parameter> all = parameters(root);
        // a call takes one positional argument: the first required parameter, or the only one
        const bool has_positional = !all.empty() && (all.front().required || all.size() == 1);
        std::string separator;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool star = i == (has_positional ? 1 : 0);
            const std::string piece = separator + (star ? "*, " : "") + all[i].text;
            if (text.size() + piece.size() + 6 > most_signature) {
                text += separator + "...";
                break;
            }
            text += piece;
            separator = ", ";
        }
    } catch (const json::Error&) {
        text += "**arguments"; // a schema that cannot be read tells nothing
    }
    return text + ")";
}

std::vector<std::string> parameter_names(std::string_view input_schema) {
    std::vector<std::string> names;
    try {
        const json::Tree root = json::read_tree(input_schema, most_values, most_depth);
        Reading in{root};
        const json::Tree* properties = resolve(in, root).find("properties");
        if (properties)
            for (const auto& [name, unused] : properties->members)
                if (names.size() < most_names) names.push_back(name);
    } catch (const json::Error&) { // none can be read
    }
    return names;
}

} // namespace search
