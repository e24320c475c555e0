#pragma once
#include <string>

namespace config {

/// What a key of a server's entry is to us.
struct KeyFound {
    bool known = false;  ///< It is read, or is nothing but a remark of other clients.
    std::string meant{}; ///< The key of ours that was meant by one that is not known, or "".
};

/// Pure. "args" is known, by "arg" and "arguments" that was meant; by "excludeTools" nothing of ours.
KeyFound look_up_key(const std::string& key);

/// How many letters must be put in, left out, changed, or swapped with the next, to make one of the other;
/// cut off at `most` + 1.
std::size_t letters_apart(const std::string& a, const std::string& b, std::size_t most);

} // namespace config
