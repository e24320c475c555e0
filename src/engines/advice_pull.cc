#include "src/engines/advice_words.h"

namespace engines {
namespace {

std::optional<Advice> on_trust(const Words& words) {
    if (words.any({"certificate signed by unknown authority", "certificate is not trusted"}))
        return Advice{
            "the engine does not trust the registry's certificate",
            "on the engine's host, put the registry's CA into /etc/containers/certs.d/HOST:PORT/ca.crt "
            "(podman, rootless: ~/.config/containers/certs.d) or /etc/docker/certs.d/HOST:PORT/ca.crt "
            "(Docker, rootless: "
            "~/.config/docker/certs.d)"};
    if (words.any({"server gave http response to https client"}))
        return Advice{
            "the registry does not speak TLS",
            "only for one that you trust on a network that you trust: insecure = true under "
            "[[registry]] in registries.conf (podman), insecure-registries in daemon.json (Docker)"};
    return std::nullopt;
}

std::optional<Advice> on_login(const Words& words) {
    if (words.any({"toomanyrequests", "too many requests", "rate limit", "http 429", "statuscode: 429"}))
        return Advice{"the registry limits pulls without a login",
                      "log in: podman login REGISTRY, or docker login; or wait, or name a mirror in --image"};
    if (words.any({"unauthorized", "authentication required", "access denied",
                   "access to the resource is denied", "requested access", "incorrect username or password",
                   "no basic auth credentials", ": denied", "403 forbidden", "403 (forbidden)", "http 403",
                   "statuscode: 403"}))
        return Advice{"the registry lets nobody in without the right login, or has no such image",
                      "check the image's name, then: podman login REGISTRY, or docker login REGISTRY"};
    return std::nullopt;
}

std::optional<Advice> on_name(const Words& words) {
    if (words.any({"short-name", "unqualified-search registries"}))
        return Advice{"podman does not know which registry that short name means",
                      "write it in full, as docker.io/library/python:3.14-slim, or set "
                      "unqualified-search-registries in registries.conf"};
    if (words.any({"no image found in manifest list for architecture", "no matching manifest for"}))
        return Advice{"that image does not exist for the engine's architecture", "name another with --image"};
    if (words.any({"manifest unknown", "name unknown", "repository name not known", "manifest for"}))
        return Advice{"the registry has no such image or tag", "check the name and the tag in --image"};
    return std::nullopt;
}

std::optional<Advice> on_reach(const Words& words) {
    const bool engine_answered = words.any({": http "}); // else it is the engine that was not reached
    const bool refused = engine_answered && words.any({"connection refused"});
    if (!refused && !words.any({"no such host", "i/o timeout", "dial tcp", "network is unreachable",
                                "no route to host", "tls handshake timeout", "pinging container registry"}))
        return std::nullopt;
    return Advice{
        "the engine cannot reach the registry",
        "check the network and proxy of the engine's host (HTTPS_PROXY in its own environment); without "
        "a registry: cordon image build"};
}

std::optional<Advice> on_broken_way(const Words& words) {
    if (words.any({"nothing came for"}))
        return Advice{
            "the pull stands still, or the registry limits pulls (which podman is silent about for two "
            "minutes)",
            "try again; one that is slow: --pull-timeout SECONDS; one that limits pulls: podman login "
            "REGISTRY, or docker login"};
    if (words.any({"received unexpected http status: 5"}))
        return Advice{"the registry itself has failed",
                      "try again later, or name a mirror in --image; without a registry: cordon image build"};
    const bool engine_broke = words.any({"talking to ", "connect to "});
    if (!engine_broke && words.any({"unexpected eof", "connection reset by peer", "broken pipe"}))
        return Advice{
            "the connection between the engine and the registry broke",
            "try again; if it breaks again: the network and proxy of the engine's host (HTTPS_PROXY in "
            "its own environment); without a registry: cordon image build"};
    return std::nullopt;
}

} // namespace

std::optional<Advice> advice_on_pull(const Words& words) {
    if (!words.any({"pull", "image"})) return std::nullopt;
    std::optional<Advice> found = on_trust(words);
    if (!found) found = on_login(words);
    if (!found) found = on_name(words);
    if (!found) found = on_reach(words);
    if (!found) found = on_broken_way(words);
    return found;
}

} // namespace engines
