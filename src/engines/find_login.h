#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "src/engines/discovery.h"

namespace engines {

/// A login of the user's own for a registry.
struct Login {
    runtime_api::RegistryAuth auth{};    ///< Empty: none was found.
    std::string source{};                ///< Where it came from, for messages: a file, a helper.
    std::vector<std::string> troubles{}; ///< Files and helpers that could not be used, and why.
    std::vector<runtime_api::RegistryAuth>
        others{}; ///< For other registries, where a short name may lead to any of them.
};

/// Where podman and Docker keep logins, in the order in which podman looks: REGISTRY_AUTH_FILE, where it is
/// set, and nothing else; else auth.json in the runtime folder, auth.json of the user, Docker's config.json.
std::vector<std::string> login_files(const Surroundings& around);

/// Looks for a login for the registry of an image; the first that is found is taken. A credential helper is
/// `docker-credential-NAME get`, which gets ten seconds and may not ask anybody. Never throws but when
/// cancelled: an image may be free for all, and what could not be read is told.
boost::asio::awaitable<Login> find_login(Surroundings around, std::string reference);

/// The same, and for a short name the logins for all registries: for podman, whose registries.conf alone says
/// where that leads, as podman's own client does.
boost::asio::awaitable<Login> find_podman_login(Surroundings around, std::string reference);

} // namespace engines
