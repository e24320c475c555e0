#include "src/mcp/http/route.h"

#include <algorithm>
#include <optional>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/mcp/request_meta.h"
#include "src/mcp/versions.h"

namespace mcp {
namespace {

using jsonrpc::Error;
using jsonrpc::Message;

Error unsupported(const std::string& version, const std::vector<std::string>& supported) {
    json::Writer data;
    data.object().field("supported", supported).field("requested", version).end();
    return Error(code::unsupported_version, "Unsupported protocol version", data.take());
}

[[noreturn]] void mismatch(const std::string& what) {
    throw Error(code::header_mismatch, "Header mismatch: " + what);
}

// The member of params that Mcp-Name repeats, or nullptr.
const char* name_member(const std::string& method) {
    if (method == "tools/call" || method == "prompts/get") return "name";
    return method == "resources/read" ? "uri" : nullptr;
}

void check_name(const HttpMessage& http, const Message& message) {
    const char* member = name_member(message.method());
    if (!member) return;
    const auto value = json::member(message.params(), member);
    if (!value || json::kind(*value) != json::Kind::string) return; // the method says what is wrong with it
    if (!http.has("mcp-name")) mismatch("the header Mcp-Name is missing");
    if (header_text(http.header("mcp-name")) != json::unquote(*value))
        mismatch("the header Mcp-Name does not match params." + std::string(member));
}

// What a modern request's headers must say about its body.
void check_headers(const HttpMessage& http, const Message& message, const RequestMeta& meta) {
    const std::string version = http.header("mcp-protocol-version");
    if (version.empty()) mismatch("the header MCP-Protocol-Version is missing");
    if (meta.protocol_version && *meta.protocol_version != version)
        mismatch("the header MCP-Protocol-Version does not match params._meta");
    if (!is_modern_version(version) && meta.protocol_version) throw unsupported(version, modern_versions());
    if (!http.has("mcp-method")) mismatch("the header Mcp-Method is missing");
    if (http.header("mcp-method") != message.method())
        mismatch("the header Mcp-Method does not match the method");
    check_name(http, message);
}

// The session that a legacy message belongs to.
std::string session_of(const HttpMessage& http) {
    std::string id = http.header("mcp-session-id");
    if (id.empty())
        throw Error(
            jsonrpc::code::invalid_request,
            "there is neither an Mcp-Session-Id header, nor is this \"initialize\", nor does it carry a "
            "protocol version in params._meta");
    return id;
}

bool has_request(const std::string& batch) {
    const auto parts = json::elements(batch);
    return std::any_of(parts.begin(), parts.end(), [](std::string_view each) {
        const bool object = json::kind(each) == json::Kind::object;
        return !object || (json::member(each, "method") && json::member(each, "id"));
    });
}

HttpRoute route_batch(const HttpMessage& http, bool modern) {
    if (modern) throw Error(jsonrpc::code::invalid_request, "this protocol version knows no batches");
    try {
        json::check(http.body);
    } catch (const json::Error& e) {
        throw Error(jsonrpc::code::parse_error, e.what());
    }
    return {has_request(http.body) ? HttpRoute::Kind::session : HttpRoute::Kind::delivery, session_of(http)};
}

HttpRoute route_request(const HttpMessage& http, Message message, bool modern) {
    const RequestMeta meta = read_meta(message.params());
    if (modern || meta.modern()) {
        check_headers(http, message, meta);
        return {HttpRoute::Kind::modern, {}, std::move(message)};
    }
    if (message.method() == "initialize") return {HttpRoute::Kind::opening, {}, std::move(message)};
    return {HttpRoute::Kind::session, session_of(http), std::move(message)};
}

} // namespace

std::string header_text(const std::string& value) {
    constexpr std::string_view begin = "=?base64?", end = "?=";
    const bool printable =
        std::all_of(value.begin(), value.end(), [](char c) { return c == '\t' || (c >= 0x20 && c < 0x7f); });
    if (!printable) mismatch("a header value has characters that it must not have");
    if (value.size() < begin.size() + end.size() || !value.starts_with(begin) || !value.ends_with(end))
        return value;
    const auto decoded = base::base64_decoded(
        std::string_view(value).substr(begin.size(), value.size() - begin.size() - end.size()));
    if (!decoded) mismatch("a header value is not valid base64");
    return *decoded;
}

int status_of_refusal(int error_code) { return error_code == jsonrpc::code::method_not_found ? 404 : 400; }

HttpRoute route_post(const HttpMessage& http) {
    std::string id;
    try {
        const std::string version = http.header("mcp-protocol-version");
        const bool modern = is_modern_version(version);
        if (jsonrpc::is_batch(http.body)) return route_batch(http, modern);
        Message message = Message::parse(http.body);
        id = message.kind() == Message::Kind::request ? message.id() : "";
        if (message.kind() == Message::Kind::request && read_meta(message.params()).modern())
            return route_request(http, std::move(message), modern);
        if (!version.empty() && !modern && !is_legacy_version(version))
            throw unsupported(version, legacy_versions());
        if (message.kind() == Message::Kind::request) return route_request(http, std::move(message), modern);
        if (!modern) return {HttpRoute::Kind::delivery, session_of(http)};
        if (message.kind() == Message::Kind::notification) return {HttpRoute::Kind::ignored};
        throw Error(jsonrpc::code::invalid_request, "a client of this protocol version sends no answers");
    } catch (const Error& e) {
        throw HttpRefused(error_reply(400, e, id));
    }
}

} // namespace mcp
