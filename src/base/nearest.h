#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace base {

/// A name without case and punctuation: its letters in lower case, its digits, and what is not ASCII.
std::string letters(std::string_view name);

/// The names nearest to `wanted` (edit distance, case and punctuation ignored), best first, at most `most`;
/// none that is not near at all.
std::vector<std::string> nearest(const std::string& wanted, const std::vector<std::string>& names,
                                 std::size_t most = 3);

/// What comparing a name with these costs, in units of half a microsecond or less.
std::size_t nearest_cost(std::string_view wanted, const std::vector<std::string>& names);

/// " (did you mean \"a\" or \"b\"?)", or "" where nothing is near.
std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names);

} // namespace base
