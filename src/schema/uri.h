#pragma once
#include <string>
#include <string_view>

namespace schema {

/// The absolute form of a reference, by RFC 3986 section 5.2; what is no URI at all is taken as a path.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// Text with %41 and its like decoded; what is not two hexadecimal digits stays.
std::string percent_decode(std::string_view text);

} // namespace schema
