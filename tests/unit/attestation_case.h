#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/sandbox/attestation.h"
#include "src/sandbox/confinement.h"
#include "tests/unit/attestation_facts.h"

/// Containers to be judged, as they were recorded.
namespace attestation_case {

/// What judge() is given, as it is where all is well; a test spoils one thing.
struct Case {
    runtime_api::ContainerSpec spec;
    runtime_api::EngineInfo info;
    runtime_api::ContainerState state;
    std::vector<std::string> warnings{};
    std::string facts;

    /// Replaces each `from` in the facts, which must be there.
    Case& say(const std::string& from, const std::string& to) {
        REQUIRE_MESSAGE(facts.find(from) != facts.npos, from);
        for (std::size_t at = 0; (at = facts.find(from, at)) != facts.npos; at += to.size())
            facts.replace(at, from.size(), to);
        return *this;
    }
    /// Adds one mount behind all others.
    Case& mount(const std::string& json) {
        return say("\"interfaces\"", "\"x\": 0, \"interfaces\"")
            .say("}],\n\"x\"", "}, " + json + "],\n\"x\"");
    }

    std::vector<sandbox::Finding> judge() const { return sandbox::judge(spec, info, state, warnings, facts); }
    std::vector<sandbox::Finding> bad() const { return sandbox::shortfalls(judge()); }
    sandbox::Finding row(const std::string& name) const {
        const std::vector<sandbox::Finding> all = judge();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const sandbox::Finding& each) { return each.row == name; });
        REQUIRE_MESSAGE(found != all.end(), name);
        return *found;
    }
};

inline Case podman() {
    Case c;
    c.spec = sandbox::to_spec({.image = "image"}, "name", {}, "loader");
    c.info = {.dialect = runtime_api::Dialect::libpod,
              .version = "4.3.1",
              .rootless = false,
              .cgroup_version = 1,
              .cgroup_controllers = {"cpu", "memory", "pids"},
              .cgroup_driver = "cgroupfs",
              .seccomp = true,
              .oci_runtime = "runc"};
    c.state.user = "65534:65534";
    c.state.network_mode = "none";
    c.state.read_only_rootfs = true;
    c.state.cap_drop = {"CAP_CHOWN", "CAP_KILL", "CAP_SETUID"}; // podman 4 names those of its default set
    c.state.no_new_privileges = true;
    c.state.security_opt = {"no-new-privileges"};
    c.state.memory_bytes = c.state.memory_swap_bytes = 512LL << 20;
    c.state.pids = 128;
    c.state.tmpfs = {"/dev/shm", "/tmp", "/workspace"};
    c.facts = recorded::podman_rootful;
    return c;
}

inline Case docker() {
    Case c = podman();
    c.info.dialect = runtime_api::Dialect::docker;
    c.info.version = "20.10.24";
    c.info.cgroup_controllers = {};
    c.info.memory_limit = c.info.swap_limit = c.info.pids_limit = c.info.cpu_limit = true;
    c.state.cap_drop = {"ALL"};
    c.state.security_opt = {"no-new-privileges:true"};
    c.facts = recorded::docker_rootful;
    return c;
}

using Names = std::vector<std::string>;

inline Names names(const std::vector<sandbox::Finding>& findings) {
    Names all;
    for (const sandbox::Finding& each : findings) all.push_back(each.row);
    return all;
}

} // namespace attestation_case
