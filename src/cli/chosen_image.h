#pragma once
#include <map>
#include <string>

#include "src/config/settings.h"

namespace cli {

/// The image that runs use: the setting, else what `cordon image use` chose, else config::default_image.
/// Throws config::Error for a choice that cannot be read.
std::string image_of(const config::Settings& settings, const std::map<std::string, std::string>& environment);

/// The file that holds the choice: "image" in the state folder.
std::string choice_file(const config::Settings& settings,
                        const std::map<std::string, std::string>& environment);

/// Writes the choice; "" takes it back. Throws std::runtime_error.
void choose_image(const std::string& file, const std::string& reference);

} // namespace cli
