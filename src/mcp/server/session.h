#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "src/mcp/request_meta.h"
#include "src/mcp/versions.h"

namespace mcp {

/// How one request is to be served.
struct Admission {
    Era era = Era::legacy;
    std::string version;
};

/// Serves a request by the version that its own `_meta` names. Throws jsonrpc::Error: unsupported_version
/// with what we support, or invalid_params that names what is missing.
Admission admit_modern(const RequestMeta& meta);

/// What is remembered of one client: the legacy version that it negotiated. Pure.
class ServerSession {
public:
    /// Takes the params of `initialize` and returns the version that the answer must name. May be called
    /// again. Throws jsonrpc::Error(invalid_params) where params are not what `initialize` needs.
    std::string initialize(std::string_view params);

    /// The era and version by which to serve a request. Throws as admit_modern; also invalid_params for a
    /// request that has neither
    /// `_meta` nor a preceding `initialize`, but for `ping`, which is always answered.
    Admission admit(std::string_view method, const RequestMeta& meta) const;

    bool initialized() const { return version_.has_value(); }
    /// Negotiated; "" before `initialize`.
    std::string version() const { return version_.value_or(""); }
    /// The capabilities that a legacy client declared, JSON object.
    const std::string& client_capabilities() const { return client_capabilities_; }
    /// "claude-code 2.1.332", for logs; "" before `initialize`.
    const std::string& client_name() const { return client_name_; }

private:
    std::optional<std::string> version_{};
    std::string client_capabilities_ = "{}";
    std::string client_name_{};
};

} // namespace mcp
