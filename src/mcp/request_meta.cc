#include "src/mcp/request_meta.h"

#include "src/base/json.h"
#include "src/jsonrpc/message.h"

namespace mcp {
namespace {

using jsonrpc::Error;

[[noreturn]] void refuse(const std::string& what) { throw Error(jsonrpc::code::invalid_params, what); }

std::string string_in(const json::Member& member) {
    if (json::kind(member.value) != json::Kind::string)
        refuse("params._meta: \"" + member.key + "\" must be a string");
    return json::unquote(member.value);
}

std::string object_in(const json::Member& member) {
    if (json::kind(member.value) != json::Kind::object)
        refuse("params._meta: \"" + member.key + "\" must be an object");
    return std::string(member.value);
}

bool good_token(std::string_view token) {
    if (token.size() > 1024) return false;
    const json::Kind kind = json::kind(token);
    return kind == json::Kind::string ||
           (kind == json::Kind::number && token.find_first_of(".eE") == std::string_view::npos);
}

} // namespace

RequestMeta read_meta(std::string_view params) {
    if (json::kind(params) != json::Kind::object) refuse("params must be an object");
    RequestMeta meta;
    const auto object = json::member(params, "_meta");
    if (!object || json::kind(*object) == json::Kind::null) return meta;
    if (json::kind(*object) == json::Kind::array && json::elements(*object).empty()) return meta; // PHP's {}
    if (json::kind(*object) != json::Kind::object) refuse("params._meta must be an object");
    for (const json::Member& m : json::members(*object)) {
        if (m.key == meta_key::protocol_version) meta.protocol_version = string_in(m);
        if (m.key == meta_key::client_capabilities) meta.client_capabilities = object_in(m);
        if (m.key == meta_key::client_info) meta.client_info = object_in(m);
        if (m.key == meta_key::log_level) meta.log_level = string_in(m);
        if (m.key == "progressToken" && good_token(m.value)) meta.progress_token = std::string(m.value);
    }
    return meta;
}

} // namespace mcp
