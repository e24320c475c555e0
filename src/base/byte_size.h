#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace base {

/// A number of bytes as a person writes it: "1048576", "512m", "1g", "64MiB"; units
/// are powers of 1024. nullopt for anything else, for less than 0, and for more than INT64_MAX.
std::optional<std::int64_t> read_byte_size(const std::string& text);

} // namespace base
