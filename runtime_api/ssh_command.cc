#include "runtime_api/ssh_command.h"

namespace runtime_api {
namespace {

constexpr const char* insisted_on = "# written by Cordon: of several values ssh takes the first\n"
                                    "IgnoreUnknown *\n" // of ours an older ssh, of the user's a newer one's
                                    "BatchMode yes\n"
                                    "StrictHostKeyChecking yes\n"
                                    "UpdateHostKeys no\n"
                                    "VisualHostKey no\n"
                                    "LogLevel INFO\n"
                                    // a way that is dead ends after 21 to 28 s
                                    "ServerAliveInterval 7\n"
                                    "ServerAliveCountMax 3\n"
                                    // connections of our own, which end with us and are nobody else's
                                    "ControlMaster no\n"
                                    "ControlPath none\n"
                                    "ControlPersist no\n"
                                    "ForkAfterAuthentication no\n"
                                    // nothing but the one socket
                                    "ForwardAgent no\n"
                                    "ForwardX11 no\n"
                                    "Tunnel no\n"
                                    "PermitLocalCommand no\n"
                                    "RemoteCommand none\n"
                                    "RequestTTY no\n";

/// An ssh that reaches nothing but the control socket: without a ProxyCommand that fails, it would connect by
/// itself where nobody listens there.
std::vector<std::string> through(const std::string& program, const SshPlaces& places) {
    return {program,         "-F", "/dev/null", "-S", places.control, "-o", "ProxyCommand=false", "-o",
            "BatchMode=yes", "-T"};
}

} // namespace

std::string ssh_config(const std::vector<std::string>& user_files, std::chrono::seconds connect_limit) {
    std::string out = insisted_on;
    out += "ConnectTimeout " + std::to_string(connect_limit.count()) + '\n';
    for (const std::string& each : user_files) out += "Include \"" + each + "\"\n";
    return out;
}

std::vector<std::string> ssh_login(const std::string& program, const Endpoint& endpoint,
                                   const SshPlaces& places, std::chrono::seconds connect_limit) {
    std::vector<std::string> out{program, "-F", places.config, "-N", "-T",
                                 "-a",    "-x", "-M",          "-S", places.control};
    for (const std::string option :
         {"ClearAllForwardings=yes", "StreamLocalBindMask=0177", "StreamLocalBindUnlink=yes"})
        out.insert(out.end(), {"-o", option});
    out.insert(out.end(), {"-o", "ConnectTimeout=" + std::to_string(connect_limit.count())});
    if (!endpoint.key_file.empty())
        out.insert(out.end(), {"-i", endpoint.key_file, "-o", "IdentitiesOnly=yes"});
    if (!endpoint.user.empty()) out.insert(out.end(), {"-l", endpoint.user});
    if (endpoint.port != 0) out.insert(out.end(), {"-p", std::to_string(endpoint.port)});
    out.insert(out.end(), {"--", endpoint.host});
    return out;
}

std::vector<std::string> ssh_forward(const std::string& program, const Endpoint& endpoint,
                                     const SshPlaces& places, const std::string& far_path) {
    std::vector<std::string> out = through(program, places);
    out.insert(out.end(), {"-O", "forward", "-L", places.socket + ':' + far_path, "--", endpoint.host});
    return out;
}

std::vector<std::string> ssh_run(const std::string& program, const Endpoint& endpoint,
                                 const SshPlaces& places, const std::vector<std::string>& words) {
    std::vector<std::string> out = through(program, places);
    out.insert(out.end(), {"--", endpoint.host});
    out.insert(out.end(), words.begin(), words.end());
    return out;
}

} // namespace runtime_api
