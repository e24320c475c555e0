#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "src/policy/rules.h"

namespace policy {

/// A policy file that cannot be used. what() has a line for each error, `FILE:LINE:COLUMN: what is wrong and
/// what would be right`, at most 20; then how many more there are.
class FileErrors : public std::runtime_error {
public:
    explicit FileErrors(const std::vector<std::string>& all);
};

inline constexpr std::size_t most_policy_file = 256 << 10; ///< Bytes.

/// Reads a policy file's text (TOML 1.0; README.md has the keys). `file` is how messages call it; `home`, an
/// absolute path or "", is what "~/" stands for in folders. Throws FileErrors: with one error where it is not
/// TOML, since what follows cannot be told; else with all. A key that nobody knows is an error.
///
/// Bounds: 256 KiB of text, 200 rules, 64 texts a list, 1024 bytes a text, 16 conditions a rule.
Rules read_policy(const std::string& text, const std::string& file, const std::string& home);

} // namespace policy
