#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// The Python identifier for a name, looked at alone: lower case, what is no ASCII letter, digit or _ becomes
/// _; "2d" is _2d, "class" is class_, "" is _.
std::string plain_alias(std::string_view name);

/// An identifier for each of the names, all different. A name has its plain alias where no other has the
/// same, or where it is that itself; else a short hash of the name is put behind. So the order of the names
/// does not matter. Repeated names count once.
std::map<std::string, std::string> aliases(const std::vector<std::string>& names);

} // namespace config
