#pragma once
#include <string>
#include <string_view>

namespace bridge {

/// A JSON text as TOON 3.3 (Token-Oriented Object Notation), two spaces of indent, comma delimited. Throws json::Error where it is no JSON.
std::string to_toon(std::string_view json);

} // namespace bridge
