#include "src/engines/advice_words.h"

namespace engines {
namespace {

std::string serve_podman(const std::string& socket) {
    const std::string folder = socket.substr(0, socket.rfind('/')); // which podman itself does not make
    return "mkdir -p " + folder + "; podman system service --time=0 unix://" + socket + " &";
}

std::string enable_podman(const Host& host) {
    if (host.uid == 0)
        return std::string("run cordon as an ordinary user with rootless podman; an engine of root's own "
                           "needs --allow-rootful") +
               (host.systemd ? " (and: systemctl enable --now podman.socket)" : "");
    if (!host.systemd)
        return (host.user_session ? "" : "sudo install -d -m 700 -o $USER " + host.runtime_dir + "; ") +
               serve_podman(host.runtime_dir + "/podman/podman.sock");
    const std::string enable = "systemctl --user enable --now podman.socket";
    return host.user_session ? enable : "sudo loginctl enable-linger $USER, then log in anew and: " + enable;
}

/// What starts the engine whose socket usually is at that path.
std::string start_engine(const Host& host, const std::string& path) {
    const bool system = path.starts_with("/run/podman/") || path.starts_with("/var/run/docker.") ||
                        path.starts_with("/run/docker.");
    const bool docker = path.find("docker") != std::string::npos;
    if (!docker && path.find("podman") == std::string::npos)
        return "start the engine whose it is (if it is podman's: " + serve_podman(path) + ')';
    if (!host.systemd) return docker ? "start its dockerd" : serve_podman(path);
    const std::string systemctl = system ? "sudo systemctl" : "systemctl --user";
    return systemctl + (docker ? " start docker" : " restart podman.socket");
}

/// Whoever set it meant an engine to be there; or one was, and its socket is left.
std::optional<Advice> on_silence(const Host& host, const Candidate& place, const Words& words) {
    const std::string& path = place.endpoint->path;
    if (words.any({"connection refused"}))
        return Advice{"the engine that made this socket does not run any more", start_engine(host, path)};
    if (!place.said) return std::nullopt;
    return Advice{"no engine listens there", "correct the path, or: " + start_engine(host, path)};
}

} // namespace

std::optional<Advice> advice_on_permission(const Host& host, const runtime_api::Endpoint& endpoint,
                                           const Words& words) {
    if (endpoint.kind != runtime_api::Endpoint::Kind::unix_socket) return std::nullopt;
    const bool answered = words.any({": http "}); // then it is the engine that was not permitted something
    if (answered || !words.any({"permission denied"})) return std::nullopt;
    if (endpoint.path.find("docker") == std::string::npos)
        return Advice{"this user may not open the socket", "use podman as this user: " + enable_podman(host)};
    const std::string group =
        "sudo usermod -aG docker $USER, then log in anew (that group is as good as root)";
    return Advice{"this user may not open Docker's socket",
                  (host.docker_rootless_tool
                       ? "dockerd-rootless-setuptool.sh install gives a rootless one; or: "
                       : "a rootless engine is better; or: ") +
                      group};
}

std::optional<Advice> advice_on_place(const Host& host, const Candidate& place, const std::string& text) {
    const runtime_api::Endpoint endpoint = place.endpoint.value_or(runtime_api::Endpoint());
    const Words words(text);
    const bool local = endpoint.kind == runtime_api::Endpoint::Kind::unix_socket && place.endpoint;
    const bool silent = local && words.any({"no such file", "connection refused"});
    const std::string& path = endpoint.path;
    const auto is = [&](const char* part) { return path.find(part) != std::string::npos; };
    const bool machine = is("-api.sock") || is("/containers/podman/machine/") ||
                         place.source.find("machine") != std::string::npos;
    if (machine && (silent || (endpoint.loopback() && words.any({"connection refused"}))))
        if (place.said || host.macos || words.any({"connection refused"}))
            return Advice{"the podman machine is stopped", "podman machine start"};
    if (silent && is("/.docker/") && (place.said || words.any({"connection refused"})))
        return Advice{"Docker Desktop is not running",
                      host.macos ? "open -a Docker" : "systemctl --user start docker-desktop"};
    const bool own = path == host.runtime_dir + "/podman/podman.sock";
    if (silent && own && (host.podman_unit || host.podman_program))
        return Advice{"podman is installed, but its socket is not listening", enable_podman(host)};
    if (silent && !machine && !host.macos)
        if (auto found = on_silence(host, place, words)) return found;
    if (!local && words.any({"connection refused"}))
        return Advice{
            "nothing listens at that port",
            "start the engine there, or correct the port (Docker's usual ones: 2376 with TLS, 2375 without)"};
    return advice_on_error(host, endpoint, text);
}

} // namespace engines
