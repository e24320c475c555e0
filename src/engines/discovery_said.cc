#include <functional>

#include "runtime_api/error.h"
#include "src/engines/discovery_docker.h"
#include "src/engines/discovery_files.h"
#include "src/engines/discovery_places.h"
#include "src/engines/discovery_podman.h"

namespace engines::discovery {
namespace {

Candidate from_container_host(const Surroundings& around) {
    Candidate out = said("CONTAINER_HOST", variable(around, "CONTAINER_HOST"));
    if (out.endpoint && out.endpoint->kind == runtime_api::Endpoint::Kind::ssh)
        out.endpoint->key_file = variable(around, "CONTAINER_SSHKEY");
    return out;
}

void add_named_connection(const Surroundings& around, std::vector<Candidate>& to) {
    const std::string name = variable(around, "CONTAINER_CONNECTION");
    if (name.empty()) return;
    const std::string source = "CONTAINER_CONNECTION \"" + name + '"';
    try {
        to.push_back(from_connection(around, source, *podman_connection(around, name)));
    } catch (const runtime_api::Error& e) {
        to.push_back(said_wrongly(source, e.what()));
    }
}

void add_default_connection(const Surroundings& around, std::vector<Candidate>& to) {
    try {
        const std::optional<PodmanConnection> found = podman_connection(around, "");
        if (!found) return;
        to.push_back(from_connection(around, "podman's default connection \"" + found->name + '"', *found));
    } catch (
        const runtime_api::Error& e) { // whether one is set cannot be known: that is an error, not "none"
        to.push_back(said_wrongly("podman's default connection", e.what()));
    }
}

void add_current_context(const Surroundings& around, std::vector<Candidate>& to) {
    try {
        const std::string name = current_docker_context(around);
        if (!name.empty()) to.push_back(from_docker_context(around, "Docker context \"" + name + '"', name));
    } catch (const runtime_api::Error& e) {
        to.push_back(said_wrongly("Docker's current context", e.what()));
    }
}

} // namespace

std::vector<Candidate> said_places(const Surroundings& around, const SearchOptions& options) {
    const bool podman = options.runtime != "docker";
    const bool docker = options.runtime != "podman";
    const std::string context = variable(around, "DOCKER_CONTEXT");
    std::vector<Candidate> out;
    if (podman && !variable(around, "CONTAINER_HOST").empty()) out.push_back(from_container_host(around));
    if (docker && !variable(around, "DOCKER_HOST").empty()) out.push_back(from_docker_host(around));
    if (podman) add_named_connection(around, out);
    if (docker && !context.empty() && context != "default")
        out.push_back(from_docker_context(around, "DOCKER_CONTEXT \"" + context + '"', context));
    if (podman) add_default_connection(around, out);
    if (docker && context.empty()) add_current_context(around, out); // DOCKER_CONTEXT=default overrules it
    return out;
}

} // namespace engines::discovery
