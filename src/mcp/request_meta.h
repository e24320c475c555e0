#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// Names in `_meta`.
namespace meta_key {
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
} // namespace meta_key

/// What a request says about itself in `params._meta`.
struct RequestMeta {
    std::optional<std::string> protocol_version{};
    std::optional<std::string> client_capabilities{}; ///< JSON object.
    std::optional<std::string> client_info{};         ///< JSON object.
    std::optional<std::string> log_level{};
    std::string progress_token{}; ///< JSON text of a string or an integer; empty where none was given.

    /// The request speaks a modern version, or tries to.
    bool modern() const { return protocol_version || client_capabilities || client_info; }
};

/// Reads `_meta` of checked JSON params. Throws jsonrpc::Error(invalid_params) where params are no object or
/// a field that a modern version needs is of the wrong kind. A progress token of the wrong kind is as if it
/// were not there.
RequestMeta read_meta(std::string_view params);

} // namespace mcp
