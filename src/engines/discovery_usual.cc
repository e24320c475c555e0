#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime_api/error.h"
#include "src/engines/discovery_files.h"
#include "src/engines/discovery_places.h"
#include "src/engines/discovery_podman.h"

namespace engines::discovery {
namespace {

/// Why no engine can listen at path; "" if one might.
std::string missing(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return "no such file";
        return errno == EACCES ? "permission denied" : std::strerror(errno);
    }
    return S_ISSOCK(about.st_mode) ? "" : "not a socket";
}

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    return real ? real.get() : path;
}

/// A list of sockets in which each place occurs once: many are links to another.
class Places {
public:
    void add(const std::string& source, const std::string& path, bool system_rootful = false) {
        Candidate out;
        out.source = source;
        out.system_rootful = system_rootful;
        runtime_api::Endpoint endpoint;
        endpoint.path = path;
        out.url = endpoint.url();
        const std::string real = real_path(path);
        const auto earlier =
            std::find_if(seen_.begin(), seen_.end(), [&](const auto& each) { return each.first == real; });
        if (earlier != seen_.end() && earlier->second == path) return;
        try {
            out.endpoint = runtime_api::parse_endpoint(out.url);
            out.problem = earlier == seen_.end() ? missing(path) : "the same socket as " + earlier->second;
        } catch (const runtime_api::Error& e) {
            out.problem = e.what();
        }
        if (earlier == seen_.end()) seen_.emplace_back(real, path);
        list_.push_back(std::move(out));
    }

    std::vector<Candidate> take() { return std::move(list_); }

private:
    std::vector<Candidate> list_;
    std::vector<std::pair<std::string, std::string>> seen_; ///< Real path, path as first named.
};

void add_docker_products(const Surroundings& around, Places& to) {
    const std::string& home = around.home;
    if (home.empty()) return;
    to.add("Docker Desktop",
           home + (around.macos ? "/.docker/run/docker.sock" : "/.docker/desktop/docker.sock"));
    if (around.macos) to.add("OrbStack", home + "/.orbstack/run/docker.sock");
    to.add("Rancher Desktop", home + "/.rd/docker.sock");
    for (const char* path :
         {"/.colima/default/docker.sock", "/.config/colima/default/docker.sock", "/.colima/docker.sock"})
        if (path == std::string("/.colima/default/docker.sock") || file_exists(home + path))
            to.add("Colima", home + path);
    to.add("Lima", home + "/.lima/docker/sock/docker.sock");
}

} // namespace

std::vector<Candidate> usual_places(const Surroundings& around, const SearchOptions& options) {
    const bool podman = options.runtime != "docker";
    const bool docker = options.runtime != "podman";
    const bool linux_like = !around.macos;
    Places out;
    if (podman && linux_like)
        for (const std::string& folder : runtime_dirs(around))
            out.add("the rootless podman socket", folder + "/podman/podman.sock");
    if (docker && linux_like)
        for (const std::string& folder : runtime_dirs(around))
            out.add("rootless Docker's socket", folder + "/docker.sock");
    if (podman)
        for (const std::string& path : machine_sockets(around)) out.add("the podman machine", path);
    if (docker) add_docker_products(around, out);
    if (podman && !around.home.empty() && file_exists(around.home + "/.lima/podman/sock/podman.sock"))
        out.add("Lima", around.home + "/.lima/podman/sock/podman.sock");
    if (podman && linux_like)
        out.add("the system's podman socket", system_path(around, "/run/podman/podman.sock"), true);
    if (docker)
        out.add("the system's Docker socket", system_path(around, "/var/run/docker.sock"), linux_like);
    return out.take();
}

} // namespace engines::discovery
