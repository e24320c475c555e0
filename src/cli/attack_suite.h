#pragma once
#include <span>
#include <string_view>

namespace cli {

/// A file of tests/attack, as it was when this program was built.
struct AttackSource {
    std::string_view name; ///< "net_tcp"
    std::string_view text;
};

/// All of them, by name. embed.py writes the table.
std::span<const AttackSource> attack_suite();

} // namespace cli
