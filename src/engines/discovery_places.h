#pragma once
#include <vector>

#include "src/engines/discovery.h"

namespace engines::discovery {

/// What somebody set, in order: variables, podman's default connection, Docker's current context. Nothing
/// that is not set.
std::vector<Candidate> said_places(const Surroundings& around, const SearchOptions& options);

/// Where engines usually listen, in order; each is listed even if nothing is there, and then says so in
/// `problem`.
std::vector<Candidate> usual_places(const Surroundings& around, const SearchOptions& options);

} // namespace engines::discovery
