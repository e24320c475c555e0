#pragma once
#include <map>
#include <string>
#include <vector>

#include "src/bridge/catalogue.h"
#include "src/config/accepted_servers.h"
#include "src/config/settings.h"

namespace bridge {

/// The configured servers as their files have them, and what they could change of Cordon's own.
struct ConfiguredServers {
    config::ServerList list{};
    std::vector<config::Reach> reach{};
    config::AcceptedFile accepted;
    std::string accept_command{}; ///< "cordon servers accept", with what names the same files.
};

/// `state_folder` keeps the record of what is accepted.
ConfiguredServers configured_servers(const config::Settings& settings,
                                     const std::map<std::string, std::string>& environment,
                                     const std::string& state_folder);

/// The same as the catalogue takes them: with their aliases, their environment, and for one that cannot be
/// used, or not yet, the reason; and what is wrong with the files. The record is brought up to date.
CatalogueConfiguration load_entries(const config::Settings& settings,
                                    const std::map<std::string, std::string>& environment,
                                    const std::string& state_folder);

} // namespace bridge
