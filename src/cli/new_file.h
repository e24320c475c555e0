#pragma once
#include <map>
#include <string>
#include <utility>

namespace cli {

/// Writes data to a new file in the current directory, or in TMPDIR where that cannot be, and gives the
/// absolute path. Its name is stem + ending, or stem-2 + ending and so on where that is taken; nothing is
/// ever written over. Throws std::runtime_error that says what went wrong.
std::string write_new_file(const std::string& stem, const std::string& ending, const std::string& data,
                           const std::map<std::string, std::string>& environment);

/// The same with a number in each name: stem-1, stem-2.
std::string write_numbered_file(const std::string& stem, const std::string& ending, const std::string& data,
                                const std::map<std::string, std::string>& environment);

/// The stem and the ending of the file that takes what code called `name`: "cordon-" before it, so that
/// nothing which reads files by their names (a Makefile, a module) takes it for its own; no folder, no
/// character that a shell or a terminal would take as its own, at most 100 bytes.
std::pair<std::string, std::string> safe_name(const std::string& name);

} // namespace cli
