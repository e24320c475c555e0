#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace base {

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);
/// The same with - and _ for + and /, as Go's URLEncoding, which engines decode headers with.
std::string base64url(std::string_view bytes);
/// nullopt where it is not strictly what base64() writes.
std::optional<std::string> base64_decoded(std::string_view text);

} // namespace base
