#include "src/mcp/client/headers.h"

#include <algorithm>
#include <optional>
#include <set>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/base/text.h"

namespace mcp {
namespace {

constexpr int most_depth = 32;
constexpr std::string_view annotation = "x-mcp-header";

bool is_token(std::string_view text) {
    static constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return base::is_letter(c) || base::is_digit(c) || others.find(c) != std::string_view::npos;
    });
}

// Whether the key occurs anywhere in a schema.
bool annotated_within(std::string_view schema, int depth) {
    if (depth > most_depth) return false;
    if (json::kind(schema) == json::Kind::array) {
        const auto each = json::elements(schema);
        return std::any_of(each.begin(), each.end(),
                           [&](std::string_view s) { return annotated_within(s, depth + 1); });
    }
    const auto all = json::members(schema);
    return std::any_of(all.begin(), all.end(), [&](const json::Member& m) {
        return m.key == annotation || annotated_within(m.value, depth + 1);
    });
}

// Walks the properties, which alone may be annotated: the place of anything else is not known before the
// call.
struct Walk {
    std::vector<HeaderParam>& out;
    std::set<std::string> seen{};
    std::vector<std::string> path{};
    std::string fault{};

    void take(std::string_view header, const std::optional<std::string_view>& type) {
        if (json::kind(header) != json::Kind::string || !is_token(json::unquote(header))) {
            fault = "an x-mcp-header is no header name";
            return;
        }
        const std::string name = json::unquote(header);
        if (!seen.insert(base::lower(name)).second)
            fault = "two parameters have the x-mcp-header " + json::quote(name);
        if (path.empty() || !type ||
            (*type != "\"string\"" && *type != "\"integer\"" && *type != "\"boolean\""))
            fault = "x-mcp-header " + json::quote(name) +
                    " is on something that is no string, integer or boolean";
        out.push_back(HeaderParam{path, "Mcp-Param-" + name});
    }

    void properties(std::string_view object) {
        for (const json::Member& each : json::members(object)) {
            path.push_back(each.key);
            schema(each.value);
            path.pop_back();
        }
    }

    void schema(std::string_view text) {
        if (json::kind(text) != json::Kind::object || path.size() > most_depth) return;
        const auto all = json::members(text);
        for (const json::Member& each : all) {
            if (each.key == "properties") {
                properties(each.value);
            } else if (each.key == annotation) {
                take(each.value, json::member(text, "type"));
            } else if (each.key != "default" && each.key != "enum" && each.key != "const" &&
                       each.key != "examples" && annotated_within(each.value, 0)) {
                fault = "an x-mcp-header is under " + json::quote(each.key) +
                        ", where it cannot be found before a call";
            }
        }
    }
};

std::optional<std::string> argument_at(std::string_view value, const std::vector<std::string>& path) {
    for (const std::string& each : path) {
        const auto next = json::member(value, each);
        if (!next) return std::nullopt;
        value = *next;
    }
    switch (json::kind(value)) {
    case json::Kind::string:
        return json::unquote(value);
    case json::Kind::number:
    case json::Kind::boolean:
        return std::string(value);
    default:
        return std::nullopt;
    }
}

} // namespace

std::string header_value(std::string_view text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c == '\t' || (c >= 0x20 && c <= 0x7e); });
    const bool edges = text.empty() || (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' &&
                                        text.back() != '\t');
    const bool wrapped = text.starts_with("=?base64?") && text.ends_with("?=");
    return plain && edges && !wrapped ? std::string(text) : "=?base64?" + base::base64(text) + "?=";
}

std::string read_header_params(std::string_view schema, std::vector<HeaderParam>& out) {
    if (schema.find(annotation) == std::string_view::npos) return {}; // nearly always
    Walk walk{out};
    walk.schema(schema);
    return walk.fault;
}

std::vector<std::string> param_headers(const std::vector<HeaderParam>& params, std::string_view arguments) {
    std::vector<std::string> lines;
    for (const HeaderParam& each : params)
        if (const auto value = argument_at(arguments, each.path))
            lines.push_back(each.header + ": " + header_value(*value));
    return lines;
}

} // namespace mcp
