#pragma once
#include <string>

namespace base {

/// 128 random bits in hexadecimal, 32 characters: not to be guessed.
std::string random_name();

} // namespace base
