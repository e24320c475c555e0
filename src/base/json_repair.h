#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/json.h"

/// What ordinary parsers (Python's, JavaScript's) take from a server though it is no JSON, made JSON. Pure;
/// each function goes through the text without recursion, in time that its length bounds.
namespace json {

/// Why a text is not JSON, and where.
struct Fault {
    std::size_t at = 0; ///< Byte of the text.
    std::string why{};
};

/// What check() would throw; nullopt where it passes. long_integers: those beyond a double pass, up to the
/// 4300 digits that Python reads.
std::optional<Fault> fault_in(std::string_view text, int max_depth = peer_depth, bool long_integers = false);

/// A number that JSON cannot write, for which a null stands in the text.
struct NotFinite {
    enum class Kind : std::uint8_t { nan, infinite, minus_infinite };
    NotFinite(std::size_t place, Kind what) : at(place & most), kind(what) {}

    static constexpr std::uint32_t most = (1u << 30) - 1;
    std::uint32_t at : 30; ///< Byte where the null stands. No message is as long as a gibibyte.
    Kind kind : 2;
};

/// What repair() did.
struct Repairs {
    std::vector<std::string> what{}; ///< Each kind once: "raw control characters in strings: escaped"
    std::vector<NotFinite> not_finite{};
};

/// Writes to `out` what `text` means to those parsers:
/// - a byte order mark before it: dropped
/// - NaN, Infinity, -Infinity, and numbers beyond a double with a point or an exponent (1e400): null. What
///   they were is in Repairs, for readers that know such numbers (with_not_finite). Integers stay as they
///   are.
/// - raw control characters in strings, NUL too: escaped
/// - bytes in strings that are not UTF-8: taken as Latin-1 (Windows-1252 where that has a character) if no
///   character of the text is UTF-8 of more than a byte, since then all of it was written so; else U+FFFD
/// - lone surrogates in \u escapes: U+FFFD
/// - repeated keys: the last counts
/// Anything else stays: what comes out may still be no JSON. What check() passes is not changed, but for a
/// byte order mark.
Repairs repair(std::string_view text, std::string& out, int max_depth = peer_depth);

/// The text, of which `at` in `all` counts from `offset`, with NaN, Infinity and -Infinity in place of their
/// nulls: what Python reads.
std::string with_not_finite(std::string_view text, std::size_t offset, const std::vector<NotFinite>& all);

/// Where the byte `at` of what repair() makes of `text` was in `text`; for messages.
std::size_t before_repair(std::string_view text, std::size_t at);

/// At most 60 characters of the text around a place, fit to be shown.
std::string excerpt(std::string_view text, std::size_t at);

/// The id of an answer that need not be JSON, as JSON text: its first "id" at the level of its members, else
/// the one that is its last member. "" where none can be made out, or where it has a "method".
std::string answer_id(std::string_view text);

/// Takes out of the array `result.tools` the elements that are not JSON, so that one tool does not cost the
/// others. A line for each that says which and why, at most 20; empty where there is nothing to take out.
std::vector<std::string> drop_bad_tools(std::string& text, int max_depth = peer_depth);

} // namespace json
