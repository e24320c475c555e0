#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// Looks at text that should be JSON and may not be. Never beyond its end, never by recursion; what is found
/// in text that is no JSON is a guess.
namespace json::scan {

/// From where to where, in bytes; both 0: nothing.
using Span = std::pair<std::size_t, std::size_t>;

/// Past the blanks from `at` on.
std::size_t blanks_end(std::string_view text, std::size_t at);

/// Past the string literal that begins at `at`, or the end of the text.
std::size_t string_end(std::string_view text, std::size_t at);

/// Past the value that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at);

/// The value of the first member `key` (that needs no escapes) of the object that begins at `at`.
Span member(std::string_view text, std::size_t at, std::string_view key);

/// The text with blanks in place of all but the first digit of each integer that a double does not hold and
/// Python reads (300 to 4300 digits), for who checks the rest.
std::string without_long_integers(std::string_view text);

} // namespace json::scan
