#pragma once
#include <string>
#include <vector>

namespace base {

/// The names that lead to what a path means, in the order in which the kernel follows them, each without
/// links or ".." in the part before its last name: the links on the way, and at the end the thing itself.
/// Whoever may replace one of them decides what the path means. "/a/link/b", where /a/link is a link to /c,
/// gives
/// "/a/link" and "/c/b".
///
/// What is not there is taken as it is written, so the path of something that is yet to be made can be asked
/// for. A path that is relative begins at the current folder. After 40 links the rest is taken as written.
std::vector<std::string> path_ways(const std::string& path);

/// The last of them: the path without links.
std::string plain_path(const std::string& path);

/// True where the second is the first, or is below it; both plain.
bool path_holds(const std::string& folder, const std::string& path);

} // namespace base
