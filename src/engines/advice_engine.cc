#include <algorithm>

#include "src/engines/advice.h"
#include "src/engines/advice_remedies.h"

namespace engines {
namespace {

constexpr std::int64_t most_images_need = 65535; // "nobody" is 65534, and the first is 0

void on_cgroups(const runtime_api::EngineInfo& info, std::vector<Advice>& out) {
    const bool rootless = info.rootless.value_or(false);
    if (rootless && info.cgroup_version == 1) {
        out.push_back({"a rootless engine on cgroup v1 ignores limits of memory and processes",
                       remedy::unified_cgroups});
        return;
    }
    if (info.cgroup_driver == "none") {
        out.push_back(
            {"the engine has no cgroups, so that it enforces no limit of memory or processes",
             "sudo loginctl enable-linger $USER, then restart the engine in a systemd session of this user"});
        return;
    }
    std::string missing;
    for (const char* name : {"memory", "pids", "cpu"}) {
        const std::vector<std::string>& all = info.cgroup_controllers;
        const bool listed = std::find(all.begin(), all.end(), name) != all.end();
        if (!all.empty() && !listed) missing += (missing.empty() ? "" : ", ") + std::string(name);
    }
    if (info.memory_limit == false) missing += (missing.empty() ? "" : ", ") + std::string("memory");
    if (info.pids_limit == false) missing += (missing.empty() ? "" : ", ") + std::string("pids");
    if (missing.empty()) return;
    out.push_back({"the engine cannot use these cgroup controllers: " + missing, remedy::delegate});
}

} // namespace

std::vector<Advice> advice_on_engine(const runtime_api::EngineInfo& info) {
    std::vector<Advice> out;
    on_cgroups(info, out);
    if (info.rootless.value_or(false) && info.uids && *info.uids < most_images_need)
        out.push_back({"this user has " +
                           std::string(*info.uids == 1 ? "no subordinate uids" : "too few subordinate uids") +
                           ": images have files of others than root, and code runs as one of them",
                       remedy::subids});
    if (info.swap_limit == false)
        out.push_back(
            {"the engine cannot limit swap, so that the limit of memory does not hold where there is swap",
             std::string(remedy::count_swap) + ", or turn swap off: sudo swapoff -a"});
    if (info.seccomp == false)
        out.push_back({"the engine has no seccomp profile in force",
                       "remove seccomp_profile=unconfined (podman: containers.conf; Docker: seccomp-profile "
                       "in daemon.json), or use a kernel "
                       "with CONFIG_SECCOMP_FILTER"});
    if (info.storage_driver == "vfs")
        out.push_back({"the storage driver is vfs, which copies the whole image for each container: seconds "
                       "instead of milliseconds",
                       "driver = \"overlay\" under [storage] in ~/.config/containers/storage.conf, then "
                       "podman system reset (it removes all "
                       "containers and images)"});
    if (info.operating_system.starts_with("Docker Desktop"))
        out.push_back(
            {"the engine is Docker Desktop: containers run in its VM and share its memory, not this host's",
             "where runs are killed for memory, give the VM more: Settings, Resources"});
    return out;
}

} // namespace engines
