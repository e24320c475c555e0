#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);
/// nullopt where it is not strictly that.
std::optional<std::string> base64_decoded(std::string_view text);

} // namespace mcp
