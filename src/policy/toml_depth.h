#pragma once
#include <cstddef>
#include <string_view>

namespace policy {

/// The line, from 1, at which a TOML text has had more than 2,000 dots outside of strings and comments; 0 if
/// it never has. Each dot of a key such as `a.b.c` nests one table more, which toml++ does not bound and
/// frees by recursion: 30,000 of them would end the process.
std::size_t line_too_deep(std::string_view text);

} // namespace policy
