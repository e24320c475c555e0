#include <algorithm>
#include <cctype>

#include "src/base/text.h"
#include "src/sandbox/attestation_rows.h"
#include "src/sandbox/engine_additions.h"

namespace sandbox::rows {
namespace {

bool is_proxy(const std::string& name) { return base::lower(name).ends_with("_proxy"); }

/// A row about one text that must be as asked for.
Finding same(const char* name, const std::string& asked, const std::optional<std::string>& seen) {
    Finding row{.row = name, .asked = asked};
    if (!seen)
        not_said(row);
    else
        row.guest = shown(*seen);
    if (seen && *seen != asked) fall_short(row, "the engine did not apply it");
    return row;
}

} // namespace

Finding network(const Views& v) {
    Finding row{.row = "network", .asked = "none", .engine = shown(v.state.network_mode)};
    if (v.state.network_mode != "none") fall_short(row, "the engine connects the container");
    const GuestFacts& f = v.facts;
    if (!f.interfaces || !f.routes || f.interfaces->empty()) {
        not_said(row);
        return row;
    }
    std::vector<std::string> others;
    for (const std::string& each : *f.interfaces)
        if (each != "lo" && !kernel_adds_interface(each)) others.push_back(each);
    row.guest = "loopback only";
    if (!others.empty() || !f.routes->empty()) {
        row.guest = others.empty() ? "routes" : listed(others);
        fall_short(row, "there is a way out of the container",
                   "run no plugin or hook that adds interfaces to containers without a network");
    }
    return row;
}

Finding working_directory(const Views& v) {
    return same("working directory", v.spec.working_dir, v.facts.cwd);
}

Finding hostname(const Views& v) { return same("hostname", v.spec.hostname, v.facts.hostname); }

Finding oci_runtime(const Views& v) {
    const std::string& asked = v.spec.oci_runtime;
    Finding row{.row = "OCI runtime",
                .asked = asked.empty() ? "the engine's" : asked,
                .engine = shown(base::base_name(v.state.oci_runtime))};
    if (!asked.empty() && base::base_name(asked) != base::base_name(v.state.oci_runtime))
        fall_short(row, "the engine took another",
                   v.podman() ? "many a podman takes no runtime by its API: set runtime = \"" +
                                    base::base_name(asked) +
                                    "\" under [engine] in containers.conf, and start its service anew"
                              : "add it to \"runtimes\" in daemon.json");
    const std::string kernel = v.facts.emulated_by.value_or("");
    row.guest = !v.facts.emulated_by ? "" : kernel.empty() ? "Linux" : shown(kernel);
    if ((is_gvisor(asked) || is_gvisor(v.state.oci_runtime)) != (row.guest == "gVisor"))
        fall_short(row, row.guest == "gVisor" ? "the engine's name for gVisor's runtime is not runsc"
                                              : "no gVisor answers inside");
    return row;
}

// Only names are ever told: a value may be a secret of the host's.
Finding environment(const Views& v) {
    Finding row{.row = "environment", .asked = "ours and what is on the engine's list"};
    if (!v.facts.environment) {
        not_said(row);
        return row;
    }
    std::vector<std::string> strange, wrong;
    for (const auto& [name, value] : *v.facts.environment) {
        const auto ours = v.spec.env.find(name);
        if (ours == v.spec.env.end() && !engine_adds_variable(v.info.dialect, name))
            strange.push_back(name);
        else if (ours != v.spec.env.end() && ours->second != value)
            wrong.push_back(name);
    }
    for (const auto& each : v.spec.env)
        if (!v.facts.environment->contains(each.first)) wrong.push_back(each.first);
    row.guest = strange.empty() && wrong.empty() ? "the same" : listed(strange.empty() ? wrong : strange);
    if (!wrong.empty()) fall_short(row, "not as asked: " + listed(wrong));
    if (std::any_of(strange.begin(), strange.end(), is_proxy))
        fall_short(row, "the engine passes the host's proxies on",
                   v.podman() ? "set http_proxy = false in containers.conf"
                              : "take the proxies out of the daemon's configuration for containers");
    else if (!strange.empty())
        fall_short(row, "the engine or the image adds what is on no list",
                   v.podman() ? "remove env and env_host under [containers] from containers.conf"
                              : "use an image without ENV for these, or run with --confinement report");
    return row;
}

// What the image brings is what was asked for: told, and no shortfall.
Finding python(const Views& v) {
    Finding row{.row = "python", .asked = "the image's, with what the image sets"};
    if (!v.facts.worker || !v.facts.python) {
        not_said(row);
        return row;
    }
    const GuestWorker& worker = *v.facts.worker;
    row.guest = shown(worker.python) + " " + shown(*v.facts.python);
    if (worker.executed) row.guest += ", apart from the supervisor's";
    if (!worker.variables.empty()) row.guest += ", with " + listed(worker.variables);
    return row;
}

Finding warnings(const Views& v) {
    Finding row{.row = "warnings", .asked = "none", .engine = "none"};
    std::vector<std::string> bad;
    for (const std::string& each : v.warnings)
        if (!is_harmless_warning(each) && !is_limit_warning(each))
            bad.push_back(each); // limits have rows of their own
    if (bad.empty()) return row;
    row.engine = listed(bad);
    fall_short(row, "the engine warns that it did not do all that was asked");
    return row;
}

} // namespace sandbox::rows
