#pragma once
#include <string>
#include <string_view>

namespace base {

/// Writes a file of mode 0600 in a private folder (private_folder.h), which is made if it is not there, and
/// puts it in the place of the one that is there: whoever reads meanwhile sees the old one or the new one,
/// and never a part of one. Throws std::runtime_error that says what could not be done, and as
/// make_private_folder.
void write_private_file(const std::string& file, std::string_view text);

} // namespace base
