#pragma once
#include <string>

namespace cli {

/// Words that are not ours (a server's, a file's), for a terminal: no control characters but ends of lines,
/// which are indented.
std::string shown(const std::string& words);

} // namespace cli
