#pragma once
#include <map>
#include <string>
#include <vector>

#include "src/bridge/catalogue.h"
#include "src/config/settings.h"

namespace bridge {

/// The configured servers as the catalogue takes them: with their aliases, their environment, and for one
/// that cannot be used the reason; and what is wrong with the files.
CatalogueConfiguration load_entries(const config::Settings& settings,
                                    const std::map<std::string, std::string>& environment);

} // namespace bridge
