#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

/// One line of the guest's mountinfo.
struct GuestMount {
    std::string at;
    std::string type;
    std::string options;       ///< "ro,nosuid,nodev"
    std::string super_options; ///< "rw,size=65536k"
    std::string source;
    std::string root; ///< What of the file system is mounted: "/", or the path of a bind.

    bool has(std::string_view option) const;
    bool read_only() const { return has("ro"); }
};

struct GuestDevice {
    std::string name; ///< Below /dev: "null", "pts/ptmx".
    std::string kind; ///< "char" or "block".
    std::int64_t major = -1;
    std::int64_t minor = -1;
};

/// Bytes and microseconds; nothing where there is no such file, `no_limit` where it says so.
struct GuestCgroup {
    std::int64_t version = 0;
    std::optional<std::int64_t> memory_max{};
    std::optional<std::int64_t> memory_swap_max{}; ///< v2: swap alone.
    std::optional<std::int64_t> memsw_max{};       ///< v1: memory and swap together.
    std::optional<std::int64_t> pids_max{};
    std::optional<std::int64_t> cpu_quota{};
    std::optional<std::int64_t> cpu_period{};
};

/// The process that runs the code.
struct GuestWorker {
    std::string python;                   ///< "/opt/venv/bin/python3"
    bool executed = false;                ///< A process of that Python; else a fork of the supervisor.
    std::vector<std::string> variables{}; ///< Names of what the image sets.
};

/// The kernel's Landlock around the worker.
struct GuestLandlock {
    std::int64_t abi = 0;             ///< 0: there is none that is used.
    std::optional<std::string> why{}; ///< Why it is not in force, or not used.
};

/// How the guest writes "none" for a limit.
inline constexpr std::int64_t no_limit = -1;

/// What the guest saw from inside (src/guest/README.md, The attestation). Each fact that is missing, null or
/// of an unexpected kind is nothing here, and whoever judges it says that the guest does not say.
struct GuestFacts {
    template <class T> using Fact = std::optional<T>;
    using IdMap = std::vector<std::vector<std::int64_t>>; ///< Inside, outside, count.

    Fact<std::int64_t> pid, uid, gid, no_new_privs, seccomp, seccomp_filters, dumpable,
        proc_owner; ///< Who has PID 1's files in /proc: root, where the code cannot read it.
    Fact<std::vector<std::int64_t>> groups;
    Fact<IdMap> uid_map, gid_map;
    Fact<std::string> cap_inh, cap_prm, cap_eff, cap_bnd, cap_amb;
    Fact<std::string> own_filter, cwd, hostname, arch;
    Fact<std::string> lsm_label; ///< What AppArmor or SELinux calls PID 1; empty: nothing does.
    Fact<GuestLandlock> landlock;
    Fact<std::string> emulated_by;   ///< "gVisor"; empty: this is Linux.
    Fact<std::int64_t> total_memory; ///< Of the machine, or of the one that is emulated.
    Fact<std::vector<GuestMount>> mounts;
    Fact<std::vector<std::string>> interfaces, routes, writable,
        secrets; ///< Files below /run/secrets, the first few.
    Fact<GuestCgroup> cgroup;
    Fact<std::map<std::string, std::vector<std::int64_t>>> rlimits; ///< Name: soft, hard.
    Fact<std::vector<GuestDevice>> devices;
    Fact<std::map<std::string, std::string>> environment, masked;
    Fact<std::map<std::string, std::string>>
        probed;               ///< System call: "refused" or "allowed" by the engine's profile.
    Fact<std::string> python; ///< The worker's version: "3.11.2".
    Fact<GuestWorker> worker;
};

/// Throws json::Error where the text is no JSON object. Pure.
GuestFacts parse_guest_facts(std::string_view text);

} // namespace sandbox
