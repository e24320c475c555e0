#include "src/engines/discovery.h"

#include <pwd.h>
#include <unistd.h>

#include <iterator>

#include "runtime_api/error.h"
#include "src/base/text.h"
#include "src/engines/discovery_files.h"
#include "src/engines/discovery_places.h"

extern char** environ;

namespace engines {
namespace {

Candidate from_option(const SearchOptions& options) {
    Candidate out = discovery::said("--runtime-socket", options.socket_url);
    discovery::TlsFiles files;
    files.ca = options.ca_file;
    files.cert = options.cert_file;
    files.key = options.key_file;
    files.verify = options.tls_verify;
    const bool wanted = !files.ca.empty() || !files.cert.empty() || !files.key.empty();
    const bool https = out.endpoint && out.endpoint->kind == runtime_api::Endpoint::Kind::https;
    if (wanted || https) discovery::add_tls(out, files);
    return out;
}

} // namespace

Surroundings Surroundings::here() {
    Surroundings out;
    for (char** each = environ; each && *each; ++each) {
        const std::string entry = *each;
        const std::size_t equals = entry.find('=');
        if (equals != std::string::npos)
            out.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    out.uid = ::getuid();
    out.home = discovery::variable(out, "HOME");
    if (const passwd* const user = out.home.empty() ? ::getpwuid(out.uid) : nullptr) out.home = user->pw_dir;
#ifdef __APPLE__
    out.macos = true;
#endif
    return out;
}

std::vector<Candidate> candidates(const Surroundings& around, const SearchOptions& options) {
    std::vector<Candidate> out;
    if (!options.socket_url.empty()) {
        out.push_back(from_option(options));
        return out;
    }
    SearchOptions narrowed = options;
    narrowed.runtime = base::base_name(options.runtime); // the variable once named a command
    if (!narrowed.runtime.empty() && narrowed.runtime != "podman" && narrowed.runtime != "docker") {
        out.push_back(
            discovery::said_wrongly("--runtime", '"' + options.runtime + "\" is neither podman nor docker"));
        return out;
    }
    out = discovery::said_places(around, narrowed);
    std::vector<Candidate> usual = discovery::usual_places(around, narrowed);
    out.insert(out.end(), std::make_move_iterator(usual.begin()), std::make_move_iterator(usual.end()));
    return out;
}

bool runs_in_vm(const runtime_api::EngineInfo& info, const runtime_api::Endpoint& endpoint,
                std::string& why) {
    const auto because = [&](const std::string& reason) {
        why = reason;
        return true;
    };
    const std::string& os = info.operating_system;
    for (const char* product : {"Docker Desktop", "OrbStack", "Rancher Desktop"})
        if (os.starts_with(product)) return because("it says it is " + std::string(product));
    if (info.kernel.ends_with("-linuxkit")) return because("its kernel is that of Docker Desktop's VM");
    if (!endpoint.loopback()) return false; // any host may be called "colima"
    if (info.name == "colima" || info.name.starts_with("colima-"))
        return because("its host is called " + info.name);
    if (info.name.starts_with("lima-")) return because("its host is called " + info.name);
    if (endpoint.kind != runtime_api::Endpoint::Kind::unix_socket) return false;
#ifdef __APPLE__
    return because("containers on a Mac run in a VM");
#else
    struct Mark {
        const char* part;
        const char* product;
    };
    for (const Mark& mark : {Mark{"/.docker/desktop/", "Docker Desktop's"},
                             {"/.colima/", "Colima's"},
                             {"/.config/colima/", "Colima's"},
                             {"/.rd/", "Rancher Desktop's"},
                             {"/.lima/", "Lima's"},
                             {"/.orbstack/", "OrbStack's"},
                             {"/containers/podman/machine/", "a podman machine's"}})
        if (endpoint.path.find(mark.part) != std::string::npos)
            return because("its socket is " + std::string(mark.product));
    const bool machine =
        endpoint.path.find("/podman/") != std::string::npos && endpoint.path.ends_with("-api.sock");
    return machine && because("its socket is a podman machine's");
#endif
}

} // namespace engines
