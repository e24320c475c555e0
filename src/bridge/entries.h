#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/bridge/catalogue.h"
#include "src/config/settings.h"

namespace bridge {

/// The configured servers as the catalogue takes them: with their aliases, their environment, and for one
/// that cannot be used the reason. Problems of whole files go to `log`.
std::vector<CatalogueEntry> load_entries(const config::Settings& settings,
                                         const std::map<std::string, std::string>& environment,
                                         const std::function<void(const std::string&)>& log);

} // namespace bridge
