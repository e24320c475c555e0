#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// Two families of protocol versions. Legacy ones open with `initialize`; modern ones carry version and
/// capabilities in each request.
enum class Era { legacy, modern };

/// Newest first; the first is what we offer to a client that asks for one that we do not know.
const std::vector<std::string>& legacy_versions();
const std::vector<std::string>& modern_versions();

bool is_legacy_version(std::string_view version);
bool is_modern_version(std::string_view version);

/// What `initialize` is answered with: the version asked for where we speak it, else our latest legacy one.
std::string negotiate(std::string_view requested);

/// Error codes of MCP (those of JSON-RPC are in jsonrpc/message.h).
namespace code {
inline constexpr int resource_not_found = -32002; ///< Legacy only; modern versions say invalid_params.
inline constexpr int header_mismatch = -32020;
inline constexpr int missing_client_capability = -32021;
inline constexpr int unsupported_version = -32022;
} // namespace code

} // namespace mcp
