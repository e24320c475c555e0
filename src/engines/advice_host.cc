#include <string_view>

#include "src/engines/advice.h"
#include "src/engines/discovery_files.h"

namespace engines {
namespace {

bool in_path(const Surroundings& around, const std::string& program) {
    const std::string all = discovery::variable(around, "PATH");
    for (std::string_view rest = all; !rest.empty();) {
        const std::size_t colon = rest.find(':');
        std::string path(rest.substr(0, colon));
        path.append("/").append(program);
        if (rest.starts_with('/') && discovery::file_exists(path)) return true;
        rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    }
    return false;
}

} // namespace

Host look_at_host(const Surroundings& around) {
    Host out;
    out.macos = around.macos;
    out.uid = around.uid;
    const std::vector<std::string> dirs = discovery::runtime_dirs(around);
    out.runtime_dir = dirs.empty() ? "" : dirs.front();
    out.user_session = !out.runtime_dir.empty() && discovery::file_exists(out.runtime_dir);
    out.systemd =
        discovery::file_exists(discovery::system_path(around, "/run/systemd/system")); // as sd_booted(3) does
    for (const char* folder : {"/usr/lib/systemd/user", "/usr/local/lib/systemd/user", "/etc/systemd/user"})
        out.podman_unit |=
            discovery::file_exists(discovery::system_path(around, folder + std::string("/podman.socket")));
    out.podman_program = in_path(around, "podman");
    out.docker_rootless_tool = in_path(around, "dockerd-rootless-setuptool.sh");
    return out;
}

} // namespace engines
