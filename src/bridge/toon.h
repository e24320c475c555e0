#pragma once
#include <string>
#include <string_view>

namespace bridge {

/// A JSON text as TOON 3.3 (Token-Oriented Object Notation), two spaces of indent, comma delimited. Throws
/// json::Error where it is no JSON, is nested deeper than 128 or has more than a million values. Integers
/// keep all their digits; other numbers are those of a double.
std::string to_toon(std::string_view json);

} // namespace bridge
