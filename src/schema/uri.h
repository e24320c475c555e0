#pragma once
#include <string>
#include <string_view>

namespace schema {

/// The absolute form of a reference, by RFC 3986 section 5.2; what is no URI at all is taken as a path.
std::string resolve_uri(std::string_view base, std::string_view reference);

} // namespace schema
