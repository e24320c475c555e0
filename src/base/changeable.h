#pragma once
#include <optional>
#include <string>

namespace base {

/// How users other than us and root could change what a path means.
struct Changeable {
    std::string why{};  ///< "/home/me/MCPs can be written to by other users"
    std::string mend{}; ///< The command that ends it: "chmod go-w /home/me/MCPs"
};

/// Looks at a file, at the links that lead to it and at each folder above all of these: others must own none
/// of them, and must be able to write to none. A folder with the sticky bit (/tmp) may be open to all, since
/// nobody can replace what another has in it. A group counts as others, unless it is root's or the user's own
/// (of his name, his first one) and has no other member. nullopt where only we and root could change
/// anything. What is not there cannot be changed; whoever makes it later is then its owner.
std::optional<Changeable> changeable_by_others(const std::string& path);

} // namespace base
