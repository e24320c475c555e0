#pragma once
#include <string>
#include <string_view>

namespace runtime_api {

/// Everything but letters, digits and "-._~" as %XX: fit for a path segment and for a query value alike.
std::string percent_encode(std::string_view text);

/// The same, but leaves '/' as it is: fit for a path.
std::string percent_encode_path(std::string_view text);

/// Undoes %XX; '+' stays '+'. Throws Error(bad_endpoint) on a '%' without two hex digits and on %00.
std::string percent_decode(std::string_view text);

} // namespace runtime_api
