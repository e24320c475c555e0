#pragma once
#include <optional>
#include <string>

#include "src/engines/discovery.h"

/// podman's own list of engines: podman-connections.json (podman 5) and containers.conf with its drop-ins
/// (podman 4, and 5 read-only).
namespace engines::discovery {

struct PodmanConnection {
    std::string name;
    std::string uri;
    std::string identity{};          ///< The key for ssh.
    std::string ca{}, cert{}, key{}; ///< TLS, podman 5.7 and later.
    bool machine = false;            ///< It leads into a podman machine of this host.
};

/// The connection called name; "" asks for the default one, and gives nullopt if there is no default. Throws
/// runtime_api::Error(bad_endpoint): a file that is malformed or unreadable (it says which and where), a name
/// that is nowhere.
std::optional<PodmanConnection> podman_connection(const Surroundings& around, const std::string& name);

/// A candidate from it. Where it names no key for ssh, CONTAINER_SSHKEY does. A connection into a podman
/// machine whose own socket is on this host becomes that socket, since podman does not keep a machine's host
/// key where ssh would find it.
Candidate from_connection(const Surroundings& around, const std::string& source,
                          const PodmanConnection& connection);

/// Sockets by which podman machines of this host are reached, the likeliest first; those that are there, and
/// the usual place if none is.
std::vector<std::string> machine_sockets(const Surroundings& around);

} // namespace engines::discovery
