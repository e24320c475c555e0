#pragma once
#include <map>
#include <string>
#include <string_view>

namespace config {

/// What stands for the words of a server list.
struct Surroundings {
    std::map<std::string, std::string> environment{};
    std::string home{};
    std::string folder{}; ///< Where we were started: ${workspaceFolder}.
};

/// The text with ${VAR}, ${VAR:-default}, ${env:VAR}, ${userHome}, ${workspaceFolder} replaced, once. A bare
/// $VAR stays (passwords contain it), as does what is none of these forms. Throws config::Error for a
/// variable that is not set and has no default, and for ${input:…}.
std::string expand(std::string_view text, const Surroundings& surroundings);

/// The same, and a leading ~/ is the home folder.
std::string expand_path(std::string_view text, const Surroundings& surroundings);

} // namespace config
