#pragma once
#include <string>
#include <string_view>

namespace base {

/// SHA-256 in lower-case hex, 64 characters. Throws std::runtime_error where OpenSSL has none.
std::string sha256_hex(std::string_view bytes);

} // namespace base
