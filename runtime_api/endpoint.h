#pragma once
#include <cstdint>
#include <string>

namespace runtime_api {

/// Where an engine listens.
struct Endpoint {
    enum class Kind { unix_socket, tcp, https, ssh };
    Kind kind = Kind::unix_socket;
    std::string path{}; ///< unix_socket: the socket; ssh: the socket on the far host (empty: its default).
    std::string host{}; ///< tcp, https, ssh. IPv6 without brackets.
    std::uint16_t port = 0;  ///< tcp, https, ssh (0: the protocol's usual).
    std::string user{};      ///< ssh.
    std::string ca_file{};   ///< https: CA that signed the engine's certificate; empty: the system's.
    std::string cert_file{}; ///< https: client certificate, PEM.
    std::string key_file{};  ///< https: its key, PEM; ssh: identity file.
    bool verify = true;      ///< https: check the certificate and its name.

    /// The URL again, fit for a message; no secrets are ever part of it.
    std::string url() const;
    bool loopback() const; ///< A Unix socket, or an address of this machine.
};

/// Reads unix:///path, tcp://host:port, https://host:port, http://host:port (as tcp),
/// ssh://[user@]host[:port][/path], npipe is refused. Percent-encoding is undone in paths and users. Throws
/// Error(bad_endpoint) with what was wrong and what would be right: unknown scheme, missing or bad port, a
/// relative path, a Unix path of more than 107 bytes, a host or user that ssh could take for an option.
Endpoint parse_endpoint(const std::string& url);

} // namespace runtime_api
