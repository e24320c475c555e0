#include "src/mcp/server/session.h"

#include "src/base/json.h"
#include "src/jsonrpc/message.h"

namespace mcp {
namespace {

using jsonrpc::Error;

[[noreturn]] void missing(std::string_view what, const std::string& hint = {}) {
    throw Error(jsonrpc::code::invalid_params, "params._meta: missing \"" + std::string(what) + '"' + hint);
}

std::string text_of(std::string_view object, std::string_view key) {
    const auto value = json::member(object, key);
    return value && json::kind(*value) == json::Kind::string ? json::unquote(*value) : std::string();
}

} // namespace

Admission admit_modern(const RequestMeta& meta) {
    if (!meta.protocol_version) missing(meta_key::protocol_version);
    if (!is_modern_version(*meta.protocol_version)) {
        json::Writer data;
        data.object().field("supported", modern_versions()).field("requested", *meta.protocol_version).end();
        throw Error(code::unsupported_version, "Unsupported protocol version", data.take());
    }
    if (!meta.client_capabilities) missing(meta_key::client_capabilities);
    return {Era::modern, *meta.protocol_version};
}

std::string ServerSession::initialize(std::string_view params) {
    const auto requested = json::member(params, "protocolVersion");
    if (!requested || json::kind(*requested) != json::Kind::string)
        throw Error(jsonrpc::code::invalid_params, "params: \"protocolVersion\" must be a string");
    version_ = negotiate(json::unquote(*requested));
    const auto capabilities = json::member(params, "capabilities");
    client_capabilities_ =
        capabilities && json::kind(*capabilities) == json::Kind::object ? std::string(*capabilities) : "{}";
    const auto info = json::member(params, "clientInfo");
    client_name_.clear();
    if (info && json::kind(*info) == json::Kind::object)
        client_name_ = text_of(*info, "name") + ' ' + text_of(*info, "version");
    return *version_;
}

Admission ServerSession::admit(std::string_view method, const RequestMeta& meta) const {
    if (meta.modern()) return admit_modern(meta);
    if (method == "initialize" || method == "ping") return {Era::legacy, version()};
    if (method == "server/discover") missing(meta_key::protocol_version);
    if (!version_) missing(meta_key::protocol_version, ", and no \"initialize\" came before");
    return {Era::legacy, *version_};
}

} // namespace mcp
