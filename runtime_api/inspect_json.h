#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "src/base/json.h"

/// What both engines call by the same names in their answer to GET containers/NAME/json. Pure; throws
/// json::Error.
namespace runtime_api {

/// Destinations of what is mounted from outside; tmpfs are listed elsewhere.
inline void read_mounts(const json::Reader& in, std::vector<std::string>& out) {
    for (std::size_t i = 0; i < in.size(); ++i) {
        std::string type;
        in[i].read_optional("Type", type);
        if (type != "tmpfs") in[i].read("Destination", out.emplace_back());
    }
}

/// HostConfig, as far as the two agree.
inline void read_shared_host_config(const json::Reader& in, ContainerState& out) {
    in.read_optional("NetworkMode", out.network_mode);
    in.read_optional("ReadonlyRootfs", out.read_only_rootfs);
    in.read_optional("Privileged", out.privileged);
    in.read_optional("CapAdd", out.cap_add);
    in.read_optional("CapDrop", out.cap_drop);
    in.read_optional("SecurityOpt", out.security_opt);
    in.read_optional("Memory", out.memory_bytes);
    in.read_optional("MemorySwap", out.memory_swap_bytes);
    in.read_optional("PidsLimit", out.pids);
    in.read_optional("Init", out.init);
    std::map<std::string, std::string> tmpfs;
    in.read_optional("Tmpfs", tmpfs);
    for (const auto& [at, options] : tmpfs) out.tmpfs.push_back(at);
    for (const std::string& option : out.security_opt)
        out.no_new_privileges |= option.starts_with("no-new-privileges") && !option.ends_with("false");
}

} // namespace runtime_api
