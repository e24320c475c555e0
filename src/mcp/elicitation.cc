#include "src/mcp/elicitation.h"

#include "src/base/json.h"
#include "src/base/shown.h"
#include "src/jsonrpc/message.h"

namespace mcp::elicitation {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw jsonrpc::Error(jsonrpc::code::invalid_params, why); }

// A member of the kind that it must have.
std::string_view wanted(std::string_view object, std::string_view key, json::Kind kind) {
    const auto value = json::member(object, key);
    if (!value || json::kind(*value) != kind)
        refuse("\"" + std::string(key) + "\" is missing or of the wrong kind");
    return *value;
}

void bound(std::string_view text, const char* what) {
    if (text.size() > most_bytes) refuse(std::string(what) + " has more than 64 KiB");
    json::check(text, most_depth);
}

} // namespace

bool declared(std::string_view capabilities) {
    const auto found = json::member(capabilities, "elicitation");
    if (!found || json::kind(*found) != json::Kind::object) return false;
    return json::members(*found).empty() || json::member(*found, "form").has_value(); // {} means forms
}

std::string question(const std::string& server, std::string_view params) {
    bound(params, "the question");
    const auto mode = json::member(params, "mode");
    if (mode && *mode != "\"form\"") refuse("this client shows forms only");
    const std::string message = json::unquote(wanted(params, "message", json::Kind::string));
    const std::string_view schema = wanted(params, "requestedSchema", json::Kind::object);
    json::Writer w;
    const base::Shown text =
        "The MCP server " + base::Shown::line(json::quote(server)) + " asks: " + base::Shown::block(message);
    w.object().field("message", text.text());
    return w.raw_field("requestedSchema", schema).end().take();
}

std::string answer(std::string_view result) {
    bound(result, "the answer");
    const std::string action = json::unquote(wanted(result, "action", json::Kind::string));
    json::Writer w;
    if (action == "decline" || action == "cancel") return w.object().field("action", action).end().take();
    if (action != "accept") refuse("unknown action");
    const std::string_view content = wanted(result, "content", json::Kind::object);
    return w.object().field("action", action).raw_field("content", content).end().take();
}

} // namespace mcp::elicitation
