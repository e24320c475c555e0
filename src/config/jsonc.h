#pragma once
#include <string>

namespace config {

/// JSON as people write it into configuration files, made plain JSON of the same length: comments (// and /*
/// */) and commas before a closing bracket become spaces. What is no JSON stays so. Pure.
std::string plain_json(std::string text);

} // namespace config
