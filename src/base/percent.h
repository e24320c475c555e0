#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace base {

/// Everything but letters, digits and "-._~" as %XX: fit for a path segment and for a query value alike.
std::string percent_encode(std::string_view text);

/// The same, but leaves '/' as it is: fit for a path.
std::string percent_encode_path(std::string_view text);

/// Undoes %XX; '+' stays '+'. nullopt where a '%' is not followed by two hex digits. May hold NUL (%00).
std::optional<std::string> percent_decoded(std::string_view text);

/// The same of a text that need not be right: a '%' that is not followed by two hex digits stays.
std::string percent_decoded_leniently(std::string_view text);

} // namespace base
