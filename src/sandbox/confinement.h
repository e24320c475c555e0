#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime_api/engine.h"

namespace sandbox {

/// What a user may choose of the confinement. All else is fixed in confinement.cc: no network, a read-only
/// root, no capabilities, no new privileges, the engine's seccomp profile, tmpfs alone to write to, limits.
struct Confinement {
    std::string image;
    std::int64_t memory_bytes = 512LL << 20;
    std::int64_t pids = 128;
    std::optional<double> cpus{};
    std::string user = "65534:65534";
    bool user_of_its_own = false; ///< Each container has another (container_users), in place of `user`.
    std::string oci_runtime{};
    bool strict = true;       ///< Refuse to run code where anything falls short; else say so in the result.
    bool low_rlimits = false; ///< The engine may not set the usual ones (its own are lower).
    std::chrono::seconds life{7200}; ///< The guest ends itself so long after its start.
};

/// The one place where a limit lives: settings in, specification out. `loader` is the guest's Python for
/// `python3 -c`. `image_path`: the PATH that the image sets. Only the supervisor's python3 is looked for by
/// it, and there last: where the image has none in the usual places.
runtime_api::ContainerSpec to_spec(const Confinement& confinement, std::string name,
                                   std::map<std::string, std::string> labels, std::string loader,
                                   std::string_view image_path = "");

/// The size of core dumps, which the guest lowers itself. At 1 the kernel makes none, not even for the
/// program that a host's core_pattern may name, which runs outside and as root; 0 would not keep it from
/// being started. The engine is not asked, since one that may set no more than 0 would refuse 1.
inline constexpr std::int64_t core_bytes = 1;

/// True where an engine's error says that it could not set our resource limits (its own hard limits are
/// lower).
bool is_rlimit_failure(const std::string& message);

} // namespace sandbox
