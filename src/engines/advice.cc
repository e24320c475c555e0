#include "src/engines/advice.h"

#include "src/engines/advice_remedies.h"
#include "src/engines/advice_words.h"

namespace engines {
namespace {

std::string destination(const runtime_api::Endpoint& endpoint) {
    std::string out = "ssh ";
    if (endpoint.port != 0) out += "-p " + std::to_string(endpoint.port) + ' ';
    if (!endpoint.user.empty()) out += endpoint.user + '@';
    return out + endpoint.host;
}

constexpr const char* allow_forwarding =
    "there, in /etc/ssh/sshd_config: AllowStreamLocalForwarding yes and AllowTcpForwarding yes";

std::optional<Advice> on_ssh(const runtime_api::Endpoint& endpoint, const Words& words) {
    const std::string ssh = destination(endpoint);
    if (words.any({"remote host identification has changed", "host key for"}))
        return Advice{"the key of that host, or of a jump host on the way, is another than before",
                      "find out why; where that was to be, remove the old key (ssh-keygen -R, as ssh says), "
                      "compare the new one and accept it once by hand: " +
                          ssh};
    if (words.any({"host key verification failed", "no matching host key"}))
        return Advice{"ssh does not know the key of that host, or of a jump host on the way",
                      "compare the key and accept it once by hand: " + ssh};
    if (words.any({"permission denied (", "too many authentication failures", "no such identity"}))
        return Advice{"ssh could not log in without asking",
                      "give it a key that needs no question: ssh-add, and try " + ssh +
                          " -o BatchMode=yes true"};
    if (words.any({"could not resolve hostname", "name or service not known"}))
        return Advice{"ssh does not know that host",
                      "correct the host's name, or give it one in ~/.ssh/config"};
    if (words.any({"stdio forwarding failed"}))
        return words.any({"administratively prohibited"})
                   ? Advice{"the jump host's sshd refuses to forward",
                            "there, in /etc/ssh/sshd_config: AllowTcpForwarding yes"}
                   : Advice{"the jump host cannot reach that host",
                            "look from there: ssh to the jump host, and on"};
    if (words.any({"administratively prohibited", "streamlocal forwarding"}))
        return Advice{"the far sshd refuses to forward sockets", allow_forwarding};
    if (words.any({"unknown port"})) // what ssh calls the other end of a ProxyCommand
        return Advice{"the jump host or the ProxyCommand that leads there failed",
                      "try the way by hand: " + ssh + " true"};
    if (words.any({"connect to host", "banner exchange", "did not set up the tunnel"}))
        return Advice{"ssh does not get through to that host",
                      "look whether it is up and its sshd listens at that port; where it stops says: " + ssh +
                          " -v true"};
    if (!words.any({"open failed", "closed the connection", "empty reply"})) return std::nullopt;
    const bool docker = endpoint.path.find("docker") != std::string::npos;
    const std::string start =
        docker ? "start Docker there, or name its socket (rootless: ssh://HOST/run/user/UID/docker.sock)"
               : ssh + " 'systemctl --user enable --now podman.socket && loginctl enable-linger'";
    return Advice{
        "nothing listens at that path on the far host, or its user may not open it, or its sshd or the "
        "key's options there refuse to forward sockets",
        start + "; else, " + allow_forwarding};
}

std::optional<Advice> on_cgroups(const Words& words) {
    if (words.any({"cgroups in hybrid mode not supported"}))
        return Advice{
            "crun does not run with cgroup v1 and v2 mixed",
            std::string(remedy::unified_cgroups) +
                "; or use runc, which does: runtime = \"runc\" under [engine] in containers.conf, then "
                "restart the engine"};
    if (words.any({"limits are not supported and ignored on cgroups v1"}))
        return Advice{"rootless podman cannot enforce limits on cgroup v1", remedy::unified_cgroups};
    if (words.any({"no systemd user session available", "failed to connect to bus", "address of session bus",
                   "interactive authentication required", "failed to connect to user scope bus", "sd-bus",
                   "detect dbus_session_bus_address", "rootless needs no limits + no cgrouppath"}))
        return Advice{"there is no systemd session of this user, in which cgroups are made",
                      "sudo loginctl enable-linger $USER, then log in anew; without systemd: cgroup_manager "
                      "= \"cgroupfs\" under [engine] in "
                      "~/.config/containers/containers.conf"};
    const bool controller =
        words.any({"controller"}) && words.any({"not available", "not delegated", "not enabled"});
    const bool absent = words.any({"no such file", "permission denied"});
    if (absent && words.any({"memory.swap.max", "memory.memsw.limit_in_bytes"}))
        return Advice{
            "the kernel does not count swap, or the memory controller is not delegated to this user",
            std::string(remedy::count_swap) + "; or: " + remedy::delegate};
    if (controller || (absent && words.any({"/memory.max", "`memory.max`", "pids.max", "cpu.max"})))
        return Advice{"a cgroup controller is not delegated to this user", remedy::delegate};
    return std::nullopt;
}

std::optional<Advice> on_disk(const Host& host, const Words& words) {
    if (!words.any({"no space left on device", "disk quota exceeded"})) return std::nullopt;
    if (words.any({"/var/tmp/"})) // where podman puts what it has not unpacked yet
        return Advice{"/var/tmp of the engine's host is full",
                      "make room there (df -h /var/tmp), or let podman use the disk of its images: "
                      "image_copy_tmp_dir = \"storage\" under [engine] in containers.conf, then restart it"};
    const std::string where = host.storage_folder.empty() ? "" : ' ' + host.storage_folder;
    return Advice{"the engine's disk is full" + (where.empty() ? "" : ": that of" + where + ", on its host"),
                  "make room: podman system prune --all, or docker system prune --all (they remove every "
                  "image that no container uses); df -h" +
                      where + " shows what there is"};
}

std::optional<Advice> on_rootless(const Words& words) {
    if (words.any({"newuidmap\": executable file not found", "newuidmap: executable file not found"}))
        return Advice{"newuidmap and newgidmap are not installed",
                      "sudo apt install uidmap (Fedora: sudo dnf install shadow-utils)"};
    if (words.any({"creating container storage"}) && words.any({"enough available ids"}))
        return Advice{
            "podman gives each container uids of its own (userns in containers.conf) and has too few",
            "echo containers:2147483648:2147418112 | sudo tee -a /etc/subuid /etc/subgid; or take "
            "userns out of containers.conf, then restart the engine"};
    // A uid that is not mapped, as runc and crun say it.
    const bool unmapped =
        words.any({"invalid argument"}) && words.any({"setresuid", "setresgid", "unable to setup user"});
    if (unmapped || words.any({"no subuid ranges", "no subgid ranges", "insufficient uids or gids",
                               "check /etc/subuid", "enough available ids", "enough ids available",
                               "newuidmap: write to uid_map failed", "newuidmap: uid range",
                               "newgidmap: gid range", "no entry in /etc/subuid", "no uid ranges set aside"}))
        return Advice{"this user has no range of subordinate uids, or too small a one", remedy::subids};
    if (words.any({"setrlimit", "error setting rlimit"}))
        return Advice{"the engine sets limits beyond what the host allows it",
                      "LimitNOFILE=1024 and LimitNPROC=32768 under [Service] of the engine's unit (systemctl "
                      "edit; without "
                      "systemd: ulimit -n and -u before it starts), then restart the engine; podman's own "
                      "limits for all "
                      "containers: default_ulimits under [containers] in containers.conf"};
    return std::nullopt;
}

std::optional<Advice> on_settings(const Words& words) {
    if (!words.any({"not compatible with nocgroups"})) return std::nullopt;
    return Advice{"podman was told to make no cgroups, and so to keep no limits",
                  "take cgroups = \"disabled\" out of containers.conf, then restart the engine"};
}

std::optional<Advice> on_gvisor(const Words& words) {
    if (!words.any({"network enabled in root network namespace"})) return std::nullopt;
    return Advice{
        "gVisor takes the container's own network namespace for the host's, as it does on new kernels",
        "give runsc no network of its own: \"runtimeArgs\": [\"--network=none\"] beside its \"path\" in "
        "daemon.json (podman: podman --runtime-flag network=none system service), then restart the engine"};
}

std::optional<Advice> on_version(const Words& words) {
    if (words.any({"no longer speaks the api versions known here"}))
        return Advice{
            "this Docker is newer than this Cordon",
            "a newer Cordon; until then, on the engine's host: sudo systemctl edit docker, with the "
            "lines [Service] and Environment=DOCKER_MIN_API_VERSION=1.56, then restart it"};
    if (words.any({"this docker is too old", "this podman is too old"}))
        return Advice{"this engine is older than this Cordon knows",
                      "update the engine: Docker 20.10 or newer, or podman 4 or newer"};
    return std::nullopt;
}

std::optional<Advice> on_selinux(const Words& words) {
    // The linker's words are those of a program whose own files have the wrong label.
    if (!words.any({"selinux", "avc:  denied", "avc: denied", "relabel", "file label", "lsetxattr",
                    "attr/keycreate", "cannot apply additional memory protection",
                    "cannot change memory protections"}))
        return std::nullopt;
    return Advice{"SELinux refused it",
                  "sudo ausearch -m avc -ts recent shows what; usually it helps: restorecon -R -v "
                  "~/.local/share/containers (and: sudo dnf install container-selinux)"};
}

std::optional<Advice> on_desktop(const Host& host, const Words& words) {
    if (words.any({"manually paused"}))
        return Advice{"Docker Desktop is paused", "resume it in its menu, or: docker desktop restart"};
    if (words.any({"docker desktop is unable to start", "docker desktop is not running",
                   "docker desktop is shutting down"}))
        return Advice{"Docker Desktop is not running",
                      host.macos ? "open -a Docker" : "systemctl --user start docker-desktop"};
    if (words.any({"cannot connect to podman", "unable to connect to podman socket", "vm does not exist",
                   "podman machine start"}))
        return Advice{"the podman machine is stopped", "podman machine start"};
    return std::nullopt;
}

} // namespace

std::optional<Advice> advice_on_error(const Host& host, const runtime_api::Endpoint& endpoint,
                                      const std::string& text) {
    const Words words(text);
    std::optional<Advice> found = on_cgroups(words);
    if (!found && endpoint.kind == runtime_api::Endpoint::Kind::ssh) found = on_ssh(endpoint, words);
    if (!found && (endpoint.kind == runtime_api::Endpoint::Kind::https ||
                   endpoint.kind == runtime_api::Endpoint::Kind::tcp))
        found = advice_on_tls(endpoint, text);
    if (!found) found = on_disk(host, words);
    if (!found) found = on_rootless(words);
    if (!found) found = on_settings(words);
    if (!found) found = on_gvisor(words);
    if (!found) found = on_version(words);
    if (!found) found = on_selinux(words);
    if (!found) found = on_desktop(host, words);
    if (!found) found = advice_on_permission(host, endpoint, words);
    if (!found) found = advice_on_pull(words);
    return found;
}

} // namespace engines
