#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_api/engine.h"

/// Logins as podman and Docker keep them: auth.json and config.json, which have one form. Pure.
namespace engines {

/// What one such file says of one repository.
struct StoredLogin {
    runtime_api::RegistryAuth auth{}; ///< The login that is in the file itself; empty: none.
    std::string helper{};             ///< The credential helper to be asked first ("pass"); empty: none.
    std::string server{};             ///< The registry, as an engine is told: "docker.io", "localhost:5000".
    std::vector<std::string> helper_keys{}; ///< What the helper may know the registry as, best first.
};

/// Looks a repository with its registry (full_repository) up: its own entry, else that of the folder above
/// it, up to the registry. Throws json::Error for a text that is no such file or an entry that cannot be
/// used.
StoredLogin stored_login(std::string_view text, const std::string& repository);

/// The repositories and registries that such a file knows a login or a helper for, as stored_login finds
/// them. Throws json::Error.
std::vector<std::string> stored_keys(std::string_view text);

/// Reads what a helper's `get` printed. Throws json::Error.
runtime_api::RegistryAuth helper_login(std::string_view text, const std::string& server);

/// A name that may be made a program's: "docker-credential-" + name.
bool good_helper_name(std::string_view name);

} // namespace engines
