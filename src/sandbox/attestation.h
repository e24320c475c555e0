#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime_api/engine.h"

namespace sandbox {

/// One row of the confinement: what was asked for, what the engine says of it, what the guest saw from
/// inside.
struct Finding {
    std::string row; ///< "memory", "capabilities", "mounts": the row's name in doctor and in results.
    std::string asked;
    std::string engine; ///< "" where the engine has no say.
    std::string guest;
    bool ok = true;
    std::string why{};    ///< Where not ok: the reason, as far as it is known.
    std::string advice{}; ///< What would mend it: a command or a setting.
};

/// Compares the three views. Pure. `facts` is the guest's attestation as JSON text (src/guest/README.md);
/// throws json::Error where it is not one: a guest that cannot say is not confined. Rows come in a fixed
/// order, good ones included.
std::vector<Finding> judge(const runtime_api::ContainerSpec& spec, const runtime_api::EngineInfo& info,
                           const runtime_api::ContainerState& state, const std::vector<std::string>& warnings,
                           std::string_view facts);

/// Those that fall short.
std::vector<Finding> shortfalls(const std::vector<Finding>& findings);

/// The shortfalls as lines fit for a person: "memory: asked 512 MiB, the guest sees no limit: rootless podman
/// on cgroup v1 cannot … ; …".
std::string describe(const std::vector<Finding>& shortfalls);

} // namespace sandbox
