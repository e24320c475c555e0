#pragma once
#include <optional>
#include <string>

#include "src/engines/discovery.h"
#include "src/engines/discovery_files.h"

/// What Docker's own command would use: its variables and its contexts.
namespace engines::discovery {

/// "$DOCKER_CONFIG" or "~/.docker"; "" where there is no home.
std::string docker_dir(const Surroundings& around);

/// currentContext of config.json, unless that is "default"; "" where there is none. Throws
/// runtime_api::Error(bad_endpoint) if the file cannot be read.
std::string current_docker_context(const Surroundings& around);

/// The candidate that DOCKER_HOST names, with TLS by DOCKER_TLS_VERIFY and DOCKER_CERT_PATH. As Docker's own
/// command reads it: no scheme means tcp, no host 127.0.0.1, no port 2375 or, with TLS, 2376. An ssh URL
/// without a path means /var/run/docker.sock there.
Candidate from_docker_host(const Surroundings& around);

/// The candidate that a context names, with its TLS files. What is wrong with the context becomes its
/// `problem`.
Candidate from_docker_context(const Surroundings& around, const std::string& source, const std::string& name);

} // namespace engines::discovery
