#include "src/config/servers_in.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "src/base/text.h"

namespace config {
namespace {

constexpr const char* right_form = "{\"mcpServers\": {\"NAME\": {\"command\": \"…\", \"args\": [\"…\"]}}}";

bool is_entry(const json::Reader& value) {
    return value.is_object() && (value.has("command") || value.has("url") || value.has("type"));
}

// Of objects that are entries, at least one. A settings file has much else under short names.
bool holds_entries(const json::Reader& value) {
    if (!value.is_object()) return false;
    const std::vector<std::string> keys = value.keys();
    return std::any_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return is_entry(value.at(key)); });
}

std::string letters(const std::string& key) {
    std::string out;
    for (const char c : key)
        if (base::is_letter(c)) out += base::lower(c);
    return out;
}

[[noreturn]] void refuse(const json::Reader& root) {
    if (!root.is_object()) throw json::Error(std::string("expected ") + right_form);
    for (const std::string& key : root.keys()) {
        const std::string plain = letters(key);
        if (plain == "mcpservers" || plain == "mcpserver" || plain == "mcp" || plain == "server" ||
            plain == "servers")
            throw json::Error("\"" + key + "\" is no key of ours: it is \"mcpServers\", as in " + right_form);
    }
    if (holds_entries(root))
        throw json::Error(std::string("the entries must be within \"mcpServers\": ") + right_form);
    throw json::Error(std::string("there is no \"mcpServers\": a file holds ") + right_form);
}

} // namespace

ServersIn find_servers(const json::Reader& root, std::string_view text) {
    if (!root.is_object()) refuse(root);
    if (root.find("mcpServers")) {
        if (!root.at("mcpServers").is_object()) root.at("mcpServers").fail("expected object");
        return {root.at("mcpServers"), *json::member(text, "mcpServers")};
    }
    for (const char* key : {"servers", "context_servers", "mcp"}) {
        if (!root.has(key)) continue;
        const json::Reader value = root.at(key);
        const std::string_view inner = *json::member(text, key);
        if (value.is_object() && value.has("servers") && holds_entries(value.at("servers")))
            return {value.at("servers"), *json::member(inner, "servers")};
        if (holds_entries(value)) return {value, inner};
    }
    refuse(root);
}

} // namespace config
