#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/sandbox/attestation_rows.h"
#include "src/sandbox/confinement.h"
#include "src/sandbox/engine_additions.h"

namespace sandbox::rows {
namespace {

constexpr const char* use_cgroup_v2 = "boot the host with cgroup v2 (systemd.unified_cgroup_hierarchy=1 on "
                                      "the kernel's command line), or run with --confinement report";
constexpr const char* count_swap =
    "add swapaccount=1 to the kernel's command line, or turn swap off and run with --confinement report";

/// No limit, or one beyond what was asked for.
bool too_high(std::int64_t seen, std::int64_t asked) { return seen < 0 || seen > asked; }

std::string limit_text(const std::optional<std::int64_t>& limit, bool is_size) {
    if (!limit) return "no limit";
    if (*limit < 0 || *limit >= (1LL << 62)) return "no limit"; // v1 writes the largest multiple of a page
    return is_size ? size_text(*limit) : std::to_string(*limit);
}

bool delegated(const Views& v, std::string_view controller) {
    const auto& all = v.info.cgroup_controllers;
    return all.empty() || std::find(all.begin(), all.end(), controller) != all.end();
}

/// The engine's word on a controller, where it says one.
std::optional<bool> engine_can(const Views& v, std::string_view controller) {
    if (controller == "memory") return v.info.memory_limit;
    if (controller == "pids") return v.info.pids_limit;
    return v.info.cpu_limit;
}

std::string warned(const Views& v) {
    for (const std::string& each : v.warnings)
        if (is_limit_warning(each) && !is_harmless_warning(each)) return shown(each);
    return "";
}

/// Why a limit is not in force, as far as the engine and the host let one know, and what would mend it.
void explain(const Views& v, std::string_view controller, Finding& row) {
    const std::string name(controller);
    const int version = v.info.cgroup_version != 0 ? v.info.cgroup_version
                        : v.facts.cgroup           ? static_cast<int>(v.facts.cgroup->version)
                                                   : 0;
    if (v.rootless() && version == 1 && v.podman())
        return fall_short(row, "rootless podman on cgroup v1 ignores limits", use_cgroup_v2);
    if (!v.podman() && v.info.cgroup_driver == "none")
        return fall_short(
            row, "rootless Docker without delegated cgroups sets no limits, though its inspect may echo them",
            version == 1 ? use_cgroup_v2
                         : "start the daemon from a systemd user session (systemctl --user start docker), "
                           "with cgroup v2");
    if (v.rootless() && version == 1)
        return fall_short(row, "a rootless engine on cgroup v1 cannot set limits", use_cgroup_v2);
    if (version == 2 && !delegated(v, controller))
        return fall_short(row, "the " + name + " controller is not delegated to the engine's user",
                          "as root: mkdir -p /etc/systemd/system/user@.service.d && printf "
                          "'[Service]\\nDelegate=cpu cpuset io memory pids\\n' "
                          "> /etc/systemd/system/user@.service.d/delegate.conf && systemctl daemon-reload, "
                          "then log in anew");
    if (engine_can(v, controller) == false)
        return fall_short(row, "the engine says that its host cannot limit " + name,
                          name == "memory"
                              ? "add cgroup_enable=memory swapaccount=1 to the kernel's command line"
                              : "use a kernel with this cgroup controller");
    if (const std::string words = warned(v); !words.empty())
        return fall_short(row, "the engine warns: " + words);
    if (v.rootless() && version == 2 && v.info.cgroup_driver == "cgroupfs")
        return fall_short(row, "the engine has no systemd user session to get cgroups from",
                          "sudo loginctl enable-linger $USER, then log in anew and: systemctl --user restart "
                          "podman.socket");
    fall_short(row, "the engine did not apply it");
}

/// What the engine says, where that falls short by itself. Its word alone is never enough.
void judge_engine(const Views& v, std::string_view controller, std::int64_t says, std::int64_t asked,
                  Finding& row) {
    if (says <= 0 || says > asked) explain(v, controller, row);
}

/// RAM and swap together, as bytes, from either version's files; nothing where swap is not counted.
std::optional<std::int64_t> memory_with_swap(const GuestCgroup& cgroup) {
    if (cgroup.version == 1) return cgroup.memsw_max;
    if (!cgroup.memory_max || !cgroup.memory_swap_max) return std::nullopt;
    if (*cgroup.memory_max < 0 || *cgroup.memory_swap_max < 0) return no_limit;
    if (*cgroup.memory_max > (1LL << 61) || *cgroup.memory_swap_max > (1LL << 61)) return no_limit;
    return *cgroup.memory_max + *cgroup.memory_swap_max;
}

/// gVisor's cgroups are its own and show no limit. Those that the engine asked for are the host's, around all
/// of it; it reads that of memory at start and gives itself no more: the one that can be seen from inside,
/// and a sign of the others, which are set in one go.
bool limited_outside(const Views& v) {
    return v.gvisor() && v.facts.total_memory && !too_high(*v.facts.total_memory, v.spec.memory_bytes);
}

constexpr const char* unseen =
    "cannot be seen: gVisor's cgroups are its own; the limit of memory is in force";

std::string cpu_text(double cpus) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", cpus);
    return text;
}

void judge_rlimit(const Views& v, const runtime_api::Rlimit& asked, Finding& row) {
    const auto found = v.facts.rlimits->find(asked.name);
    row.guest += row.guest.empty() ? "" : ", ";
    if (found == v.facts.rlimits->end() || found->second.size() != 2) {
        row.guest += asked.name + " unknown";
        return fall_short(row, "the guest does not say all of them");
    }
    const std::int64_t soft = found->second[0], hard = found->second[1];
    row.guest += asked.name + " " + limit_text(hard, false);
    if (too_high(soft, asked.value) || too_high(hard, asked.value))
        fall_short(row, asked.name + " was not applied");
}

} // namespace

Finding memory(const Views& v) {
    Finding row{.row = "memory",
                .asked = size_text(v.spec.memory_bytes),
                .engine = v.state.memory_bytes > 0 ? size_text(v.state.memory_bytes) : "no limit"};
    judge_engine(v, "memory", v.state.memory_bytes, v.spec.memory_bytes, row);
    if (v.state.memory_bytes > 0 && v.state.memory_swap_bytes != v.state.memory_bytes) {
        row.engine += v.state.memory_swap_bytes > 0 ? ", with swap " + size_text(v.state.memory_swap_bytes)
                                                    : ", swap without limit";
        if (v.state.memory_swap_bytes <= 0 || v.state.memory_swap_bytes > v.spec.memory_bytes)
            fall_short(row, "the engine allows swap beyond it", count_swap);
    }
    if (!v.facts.cgroup) {
        not_said(row);
        return row;
    }
    if (limited_outside(v)) {
        row.guest = size_text(*v.facts.total_memory) + " in all; gVisor does not show swap";
        return row;
    }
    const std::optional<std::int64_t> ram = v.facts.cgroup->memory_max;
    row.guest = limit_text(ram, true);
    if (!ram || too_high(*ram, v.spec.memory_bytes)) {
        explain(v, "memory", row);
        return row;
    }
    const std::optional<std::int64_t> all = memory_with_swap(*v.facts.cgroup);
    if (!all)
        fall_short(row, "the kernel does not count swap", count_swap);
    else if (too_high(*all, v.spec.memory_bytes))
        fall_short(row, "swap beyond it is allowed", count_swap);
    if (!all || *all != *ram) row.guest += ", with swap " + limit_text(all, true);
    return row;
}

Finding processes(const Views& v) {
    Finding row{.row = "processes",
                .asked = std::to_string(v.spec.pids),
                .engine = v.state.pids > 0 ? std::to_string(v.state.pids) : "no limit"};
    judge_engine(v, "pids", v.state.pids, v.spec.pids, row);
    if (!v.facts.cgroup) {
        not_said(row);
        return row;
    }
    if (limited_outside(v)) {
        row.guest = unseen;
        return row;
    }
    const std::optional<std::int64_t> seen = v.facts.cgroup->pids_max;
    row.guest = limit_text(seen, false);
    if (!seen || too_high(*seen, v.spec.pids)) explain(v, "pids", row);
    return row;
}

Finding cpus(const Views& v) {
    Finding row{.row = "cpus", .asked = v.spec.cpus ? cpu_text(*v.spec.cpus) : "the host's"};
    if (!v.facts.cgroup) {
        if (v.spec.cpus) not_said(row);
        return row;
    }
    if (limited_outside(v)) {
        row.guest = v.spec.cpus ? unseen : "the host's";
        return row;
    }
    const auto& [quota, period] = std::pair(v.facts.cgroup->cpu_quota, v.facts.cgroup->cpu_period);
    const bool limited = quota && period && *quota > 0 && *period > 0;
    const double seen = limited ? static_cast<double>(*quota) / static_cast<double>(*period) : 0;
    row.guest = limited ? cpu_text(seen) : "the host's";
    constexpr double rounding = 1.01; // the kernel counts in microseconds of a period
    if (v.spec.cpus && (!limited || seen > *v.spec.cpus * rounding)) explain(v, "cpu", row);
    return row;
}

namespace {

/// Whether less was asked for than usual, since the engine may not set more.
bool is_low(const std::vector<runtime_api::Rlimit>& asked) {
    const runtime_api::ContainerSpec usual = to_spec(Confinement{}, "", {}, "");
    return std::any_of(asked.begin(), asked.end(), [&](const runtime_api::Rlimit& each) {
        return std::any_of(usual.rlimits.begin(), usual.rlimits.end(), [&](const runtime_api::Rlimit& other) {
            return each.name == other.name && each.value < other.value;
        });
    });
}

} // namespace

Finding rlimits(const Views& v) {
    Finding row{.row = "rlimits", .asked = ""};
    std::vector<runtime_api::Rlimit> asked = v.spec.rlimits;
    asked.push_back({"core", core_bytes});
    for (const runtime_api::Rlimit& each : asked)
        row.asked += (row.asked.empty() ? "" : ", ") + each.name + " " + std::to_string(each.value);
    if (!v.facts.rlimits) {
        not_said(row);
        return row;
    }
    for (const runtime_api::Rlimit& each : asked) judge_rlimit(v, each, row);
    if (is_low(v.spec.rlimits)) row.engine = "less than usual: it may not set more";
    return row;
}

// Told, not judged: other rows hold what these would (memory, time, files), and an engine may set lower ones.
Finding other_rlimits(const Views& v) {
    Finding row{.row = "other rlimits", .asked = "the engine's"};
    if (!v.facts.rlimits) {
        not_said(row);
        return row;
    }
    std::string unlimited;
    for (const auto& [name, limits] : *v.facts.rlimits) {
        const auto is_it = [&name](const runtime_api::Rlimit& each) { return each.name == name; };
        const bool asked = std::any_of(v.spec.rlimits.begin(), v.spec.rlimits.end(), is_it);
        if (asked || name == "core" || limits.size() != 2) continue;
        const std::string soft = limit_text(limits[0], false), hard = limit_text(limits[1], false);
        if (limits[0] < 0 && limits[1] < 0)
            unlimited += (unlimited.empty() ? "" : ", ") + shown(name);
        else
            row.guest += (row.guest.empty() ? "" : ", ") + shown(name) + " " + soft +
                         (soft == hard ? "" : " (hard " + hard + ")");
    }
    if (!unlimited.empty()) row.guest += (row.guest.empty() ? "" : "; ") + ("no limit: " + unlimited);
    return row;
}

} // namespace sandbox::rows
