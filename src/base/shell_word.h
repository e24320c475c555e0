#pragma once
#include <string>

namespace base {

/// The text as one word of a command line that a person pastes into a shell: as it is where it is plain, else
/// in single quotes.
std::string shell_word(const std::string& text);

} // namespace base
