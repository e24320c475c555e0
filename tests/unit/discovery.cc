#include "src/engines/discovery.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "src/base/sha256.h"
#include "src/engines/discovery_docker.h"
#include "tests/unit/discovery_machine.h"

using engines::Candidate;
using engines::SearchOptions;
using runtime_api::Endpoint;

namespace {

/// The places that somebody set.
std::vector<Candidate> said(const Machine& machine, const std::string& runtime = "") {
    std::vector<Candidate> all = machine.search(runtime);
    std::erase_if(all, [](const Candidate& each) { return !each.said; });
    return all;
}

std::vector<std::string> sources(const std::vector<Candidate>& all) {
    std::vector<std::string> out;
    for (const Candidate& each : all) out.push_back(each.source);
    return out;
}

void docker_context(Machine& machine, const std::string& name, const std::string& docker) {
    machine.file("/home/.docker/contexts/meta/" + base::sha256_hex(name) + "/meta.json",
                 R"({"Name":")" + name + R"(","Metadata":{},"Endpoints":{"docker":)" + docker + "}}");
}

constexpr const char* two_connections = R"({"Connection":{"Default":"far","Connections":{
    "far":{"URI":"ssh://me@far.example:2222/run/user/7/podman/podman.sock","Identity":"/home/me/.ssh/far"},
    "tls":{"URI":"tcp://tls.example:8080","TLSCA":"/ca","TLSCert":"/cert","TLSKey":"/key"}}}})";

} // namespace

TEST_CASE(
    "candidates: what is set comes first, in the order of the documentation, and before what is there") {
    Machine machine;
    machine.set("DOCKER_CONTEXT", "work");
    machine.set("CONTAINER_CONNECTION", "tls");
    machine.set("DOCKER_HOST", "unix:///d.sock");
    machine.set("CONTAINER_HOST", "unix:///c.sock");
    machine.file("/home/.config/containers/podman-connections.json", two_connections);
    docker_context(machine, "work", R"({"Host":"unix:///w.sock"})");
    const std::vector<Candidate> all = machine.search();
    const std::vector<std::string> first{"CONTAINER_HOST",
                                         "DOCKER_HOST",
                                         "CONTAINER_CONNECTION \"tls\"",
                                         "DOCKER_CONTEXT \"work\"",
                                         "podman's default connection \"far\"",
                                         "the rootless podman socket"};
    std::vector<std::string> found = sources(all);
    REQUIRE(found.size() > first.size());
    found.resize(first.size());
    CHECK(found == first);
    CHECK(all[4].said);
    CHECK_FALSE(all[5].said);
}

TEST_CASE("candidates: a variable that is set and empty counts as not set") {
    Machine machine;
    for (const char* name :
         {"CONTAINER_HOST", "DOCKER_HOST", "CONTAINER_CONNECTION", "DOCKER_CONTEXT", "CONTAINERS_CONF"})
        machine.set(name, "");
    CHECK(said(machine).empty());
}

TEST_CASE("candidates: --runtime-socket is the only one, with its TLS files") {
    Machine machine;
    machine.set("DOCKER_HOST", "unix:///d.sock");
    SearchOptions options;
    options.socket_url = "tcp://engine.example:2376";
    options.ca_file = "/ca.pem";
    options.tls_verify = false;
    const std::vector<Candidate> all = candidates(machine.around, options);
    REQUIRE(all.size() == 1);
    CHECK(all[0].source == "--runtime-socket");
    CHECK(all[0].url == "https://engine.example:2376");
    CHECK(all[0].endpoint->kind == Endpoint::Kind::https);
    CHECK(all[0].endpoint->ca_file == "/ca.pem");
    CHECK_FALSE(all[0].endpoint->verify);
    options.ca_file.clear();
    CHECK(candidates(machine.around, options)[0].url == "tcp://engine.example:2376");
    options.socket_url = "unix:relative";
    CHECK_FALSE(candidates(machine.around, options)[0].problem.empty());
}

TEST_CASE(
    "candidates: CONTAINER_HOST over ssh takes its key from CONTAINER_SSHKEY, and repeats no password") {
    Machine machine;
    machine.set("CONTAINER_HOST", "ssh://me@far.example/run/podman.sock");
    machine.set("CONTAINER_SSHKEY", "/keys/k");
    CHECK(said(machine).at(0).endpoint->key_file == "/keys/k");
    machine.set("CONTAINER_HOST", "ssh://me:secret@far.example/run/podman.sock");
    const Candidate bad = said(machine).at(0);
    CHECK_FALSE(bad.problem.empty());
    CHECK((bad.url + bad.problem).find("secret") == std::string::npos);
}

TEST_CASE("candidates: DOCKER_HOST with DOCKER_TLS_VERIFY uses the certificates of DOCKER_CERT_PATH, else of "
          "~/.docker") {
    Machine machine;
    machine.set("DOCKER_HOST", "tcp://engine.example:2376");
    CHECK(said(machine).at(0).endpoint->kind == Endpoint::Kind::tcp);
    machine.set("DOCKER_TLS_VERIFY", "0"); // any value that is not empty
    CHECK(said(machine).at(0).endpoint->kind == Endpoint::Kind::https);
    CHECK(said(machine).at(0).endpoint->verify);
    for (const char* name : {"ca.pem", "cert.pem", "key.pem"})
        machine.file(std::string("/home/.docker/") + name, "x");
    CHECK(said(machine).at(0).endpoint->key_file == machine.at("/home/.docker/key.pem"));
    machine.set("DOCKER_CERT_PATH", machine.at("/certs"));
    CHECK(said(machine).at(0).problem == "DOCKER_CERT_PATH: there is no ca.pem in " + machine.at("/certs"));
    machine.file("/certs/ca.pem", "x");
    CHECK(said(machine).at(0).problem.empty());
    CHECK(said(machine).at(0).endpoint->ca_file == machine.at("/certs/ca.pem"));
    CHECK(said(machine).at(0).endpoint->cert_file.empty());
    machine.file("/certs/cert.pem", "x");
    CHECK(said(machine).at(0).problem ==
          "DOCKER_CERT_PATH: there is cert.pem without its key.pem in " + machine.at("/certs"));
    machine.file("/certs/key.pem", "x");
    CHECK(said(machine).at(0).problem.empty());
    CHECK(said(machine).at(0).endpoint->cert_file == machine.at("/certs/cert.pem"));
    machine.set("DOCKER_CERT_PATH", machine.at("/none")); // matters to TLS alone
    machine.set("DOCKER_HOST", "unix:///d.sock");
    CHECK(said(machine).at(0).problem.empty());
}

TEST_CASE(
    "candidates: DOCKER_HOST without scheme, host or port means what it means to Docker's own command") {
    struct Case {
        const char* value;
        const char* plain;
        const char* tls;
    };
    for (const Case& each :
         {Case{"engine.example:99", "tcp://engine.example:99", "https://engine.example:99"},
          Case{" engine.example\n", "tcp://engine.example:2375", "https://engine.example:2376"},
          Case{"tcp://engine.example", "tcp://engine.example:2375", "https://engine.example:2376"},
          Case{"tcp://", "tcp://127.0.0.1:2375", "https://127.0.0.1:2376"},
          Case{"tcp://:99", "tcp://127.0.0.1:99", "https://127.0.0.1:99"},
          Case{"tcp://[::1]", "tcp://[::1]:2375", "https://[::1]:2376"},
          Case{"tcp://[::1]:99", "tcp://[::1]:99", "https://[::1]:99"},
          Case{"unix://", "unix:///var/run/docker.sock", "unix:///var/run/docker.sock"}}) {
        CAPTURE(each.value);
        Machine machine;
        machine.set("DOCKER_HOST", each.value);
        CHECK(said(machine).at(0).url == each.plain);
        machine.set("DOCKER_TLS", "1");
        CHECK(said(machine).at(0).url == each.tls);
        CHECK(said(machine).at(0).problem.empty());
    }
    Machine machine;
    machine.set("DOCKER_HOST", "/var/run/docker.sock");
    CHECK(said(machine).at(0).problem.find("a path needs its scheme") != std::string::npos);
    machine.set("DOCKER_HOST", "tcp://engine.example:");
    CHECK_FALSE(said(machine).at(0).problem.empty());
}

TEST_CASE("candidates: DOCKER_HOST over ssh without a path means Docker's socket there") {
    Machine machine;
    machine.set("DOCKER_HOST", "ssh://me@far.example");
    CHECK(said(machine).at(0).endpoint->path == "/var/run/docker.sock");
}

TEST_CASE("candidates: the current Docker context, with its TLS files; \"default\" is none") {
    Machine machine;
    const std::string id = base::sha256_hex("work");
    CHECK(id == "00e13ed7af55b27622f1d6eab5bec0147e68efe28dc2b12461117afa1a5ed40e");
    machine.file("/home/.docker/config.json", R"({"auths":{},"currentContext":"work"})");
    CHECK(said(machine).at(0).problem.starts_with("Docker has no context \"work\" (no file "));
    docker_context(machine, "work", R"({"Host":"tcp://engine.example:2376","SkipTLSVerify":true})");
    for (const char* name : {"ca.pem", "cert.pem", "key.pem"})
        machine.file("/home/.docker/contexts/tls/" + id + "/docker/" + name, "x");
    const Candidate found = said(machine).at(0);
    CHECK(found.source == "Docker context \"work\"");
    CHECK(found.endpoint->kind == Endpoint::Kind::https);
    CHECK(found.endpoint->cert_file == machine.at("/home/.docker/contexts/tls/" + id + "/docker/cert.pem"));
    CHECK_FALSE(found.endpoint->verify);
    machine.set("DOCKER_CONTEXT", "default"); // overrules the current one
    CHECK(said(machine).empty());
    machine.set("DOCKER_CONTEXT", "");
    machine.file("/home/.docker/config.json", R"({"currentContext":"default"})");
    CHECK(said(machine).empty());
}

TEST_CASE("candidates: DOCKER_CONFIG moves the folder") {
    Machine machine;
    machine.set("DOCKER_CONFIG", machine.at("/else"));
    machine.file("/else/config.json", R"({"currentContext":"x"})");
    CHECK(said(machine).at(0).problem.find(machine.at("/else/contexts/meta/")) != std::string::npos);
}

TEST_CASE("candidates: a malformed file is a problem that names the file and the place, never silence") {
    Machine machine;
    const std::string config = machine.file("/home/.docker/config.json", "{\"currentContext\": }");
    CHECK(said(machine).at(0).source == "Docker's current context");
    CHECK(said(machine).at(0).problem.starts_with(config + ": bad JSON at byte 19"));
    machine.file("/home/.docker/config.json", "{\"currentContext\": 7}");
    CHECK(said(machine).at(0).problem == config + ": currentContext: expected string");
    machine.file("/home/.docker/config.json", "");

    const std::string list = machine.file("/home/.config/containers/podman-connections.json",
                                          R"({"Connection":{"Connections":{"a":{}}}})");
    CHECK(said(machine).at(0).problem == list + ": Connection.Connections.a: missing \"URI\"");
    machine.file("/home/.config/containers/podman-connections.json", "{}");
    const std::string conf =
        machine.file("/home/.config/containers/containers.conf", "[engine]\nactive_service = 7\n");
    CHECK(said(machine).at(0).problem == conf + ":2: active_service: expected a string");
    machine.file("/home/.config/containers/containers.conf", "[engine]\n\nactive_service = \n");
    CHECK(said(machine).at(0).problem.starts_with(conf + ":3: "));
    machine.file("/home/.config/containers/containers.conf", std::string((4U << 20U) + 1, '#'));
    CHECK(said(machine).at(0).problem == conf + ": larger than 4 MiB");
    machine.file("/home/.config/containers/containers.conf", std::string(4U << 20U, '#'));
    CHECK(said(machine).empty());
}

TEST_CASE("candidates: a FIFO or a folder in place of a file holds nobody up") {
    Machine machine;
    machine.file("/home/.docker/x", "");
    REQUIRE(::mkfifo(machine.at("/home/.docker/config.json").c_str(), 0600) == 0);
    CHECK(said(machine).at(0).problem == machine.at("/home/.docker/config.json") + ": not a file");
}

TEST_CASE("candidates: podman's default connection, from the newer file before the older ones") {
    Machine machine;
    machine.file("/usr/share/containers/containers.conf",
                 "[engine]\nactive_service='a'\n[engine.service_destinations.a]\nuri='unix:///share'\n");
    CHECK(said(machine).at(0).url == "unix:///share");
    machine.file("/etc/containers/containers.conf", "[engine.service_destinations.a]\nuri='unix:///etc'\n");
    CHECK(said(machine).at(0).url == "unix:///etc");
    machine.file("/etc/containers/containers.conf.d/10-x.conf",
                 "[engine.service_destinations.a]\nuri='unix:///etc-10'\n");
    machine.file("/etc/containers/containers.conf.d/20-x.conf",
                 "[engine.service_destinations.a]\nuri='unix:///etc-20'\n");
    machine.file("/etc/containers/containers.conf.d/30-x.not", "bad [");
    CHECK(said(machine).at(0).url == "unix:///etc-20");
    machine.file("/home/.config/containers/containers.conf",
                 "[engine.service_destinations.a]\nuri='ssh://h/s'\nidentity='/k'\n");
    CHECK(said(machine).at(0).url == "ssh://h/s");
    CHECK(said(machine).at(0).endpoint->key_file == "/k");
    machine.file("/home/.config/containers/containers.conf.d/1.conf",
                 "[engine.service_destinations.a]\nuri='unix:///home-1'\n");
    CHECK(said(machine).at(0).url == "unix:///home-1");
    machine.set(
        "CONTAINERS_CONF_OVERRIDE",
        machine.file("/over.conf",
                     "[engine]\nactive_service='b'\n[engine.service_destinations.b]\nuri='unix:///over'\n"));
    CHECK(said(machine).at(0).url == "unix:///over");
    machine.file("/home/.config/containers/podman-connections.json", two_connections);
    CHECK(said(machine).at(0).url == "ssh://me@far.example:2222/run/user/7/podman/podman.sock");
    CHECK(said(machine).at(0).endpoint->key_file == "/home/me/.ssh/far");
}

TEST_CASE(
    "candidates: what the system sets for rootless users, or for one of them, comes before the user's own") {
    const std::string service =
        "[engine]\nactive_service='a'\n[engine.service_destinations.a]\nuri='unix:///";
    Machine machine;
    machine.file("/etc/containers/containers.conf.d/9.conf", service + "all'\n");
    machine.file("/etc/containers/containers.rootful.conf.d/1.conf", service + "root'\n");
    CHECK(said(machine).at(0).url == "unix:///all");
    machine.file("/etc/containers/containers.rootless.conf", service + "rootless'\n");
    CHECK(said(machine).at(0).url == "unix:///rootless");
    machine.file("/etc/containers/containers.rootless.conf.d/1.conf", service + "drop-in'\n");
    CHECK(said(machine).at(0).url == "unix:///drop-in");
    machine.file("/etc/containers/containers.rootless.conf.d/1000/1.conf", service + "mine'\n");
    machine.file("/etc/containers/containers.rootless.conf.d/1001/1.conf", service + "other'\n");
    CHECK(said(machine).at(0).url == "unix:///mine");
    machine.around.uid = 0;
    CHECK(said(machine).at(0).url == "unix:///root");
    machine.file("/home/.config/containers/containers.conf", service + "home'\n");
    CHECK(said(machine).at(0).url == "unix:///home");
}

TEST_CASE("candidates: a connection without a key uses CONTAINER_SSHKEY; farms are no concern of ours") {
    Machine machine;
    machine.file("/home/.config/containers/podman-connections.json",
                 R"({"Connection":{"Default":"a","Connections":{"a":{"URI":"ssh://h/s"},
                    "own":{"URI":"ssh://h/s","Identity":"/own"}}},"Farm":{"Default":"f","List":{"f":["own"]}}})");
    machine.set("CONTAINER_SSHKEY", "/keys/k");
    CHECK(said(machine).at(0).endpoint->key_file == "/keys/k");
    machine.set("CONTAINER_CONNECTION", "own");
    CHECK(said(machine).at(0).endpoint->key_file == "/own");
}

TEST_CASE("candidates: CONTAINERS_CONF is read instead of all others, and must be there") {
    Machine machine;
    machine.file("/etc/containers/containers.conf",
                 "[engine]\nactive_service='a'\n[engine.service_destinations.a]\nuri='unix:///etc'\n");
    machine.set("CONTAINERS_CONF", "/dev/null");
    CHECK(said(machine).empty());
    machine.set("CONTAINERS_CONF", machine.at("/none"));
    CHECK(said(machine).at(0).problem == "CONTAINERS_CONF: " + machine.at("/none") + ": no such file");
}

TEST_CASE("candidates: CONTAINER_CONNECTION names one, with TLS; one that is nowhere is an error") {
    Machine machine;
    machine.set("PODMAN_CONNECTIONS_CONF", machine.file("/elsewhere.json", two_connections));
    machine.set("CONTAINER_CONNECTION", "tls");
    const Candidate found = said(machine).at(0);
    CHECK(found.endpoint->kind == Endpoint::Kind::https);
    CHECK(found.endpoint->ca_file == "/ca");
    CHECK(found.endpoint->key_file == "/key");
    machine.set("CONTAINER_CONNECTION", "none");
    CHECK(said(machine).at(0).problem == "podman has no connection \"none\" (podman system connection list)");
}

TEST_CASE("candidates: a connection into a podman machine of this host goes over the machine's own socket") {
    Machine machine;
    machine.file(
        "/home/.config/containers/podman-connections.json",
        R"({"Connection":{"Default":"m-root","Connections":{"m-root":{"URI":"ssh://root@127.0.0.1:5/run/podman/podman.sock","IsMachine":true}}}})");
    CHECK(said(machine).at(0).endpoint->kind == Endpoint::Kind::ssh);
    machine.listen("/run/user/1000/podman/m-api.sock");
    CHECK(said(machine).at(0).endpoint->path == machine.at("/run/user/1000/podman/m-api.sock"));
}

TEST_CASE("candidates: MCP_BRIDGE_RUNTIME narrows what is set and what is there") {
    Machine machine;
    machine.set("CONTAINER_HOST", "unix:///c.sock");
    machine.set("DOCKER_HOST", "unix:///d.sock");
    CHECK(sources(said(machine, "podman")) == std::vector<std::string>{"CONTAINER_HOST"});
    CHECK(sources(said(machine, "/usr/bin/docker")) == std::vector<std::string>{"DOCKER_HOST"});
    for (const Candidate& each : machine.search("podman"))
        CHECK(each.source.find("ocker") == std::string::npos);
    for (const Candidate& each : machine.search("docker"))
        CHECK(each.source.find("podman") == std::string::npos);
    CHECK(said(machine, "lxc").at(0).problem == "\"lxc\" is neither podman nor docker");
}

TEST_CASE("candidates: usual places on Linux, rootless first, each with why it cannot be tried") {
    Machine machine;
    machine.listen("/run/user/1000/podman/podman.sock");
    machine.file("/run/podman/podman.sock", "");
    const std::vector<Candidate> all = machine.search();
    std::vector<std::string> paths;
    for (const Candidate& each : all)
        paths.push_back(each.url.substr(std::string("unix://").size() + machine.at("").size()));
    const std::vector<std::string> expected{"/run/user/1000/podman/podman.sock",
                                            "/run/user/1000/docker.sock",
                                            "/home/.local/share/containers/podman/machine/podman.sock",
                                            "/home/.docker/desktop/docker.sock",
                                            "/home/.rd/docker.sock",
                                            "/home/.colima/default/docker.sock",
                                            "/home/.lima/docker/sock/docker.sock",
                                            "/run/podman/podman.sock",
                                            "/var/run/docker.sock"};
    CHECK(paths == expected);
    CHECK(all[0].problem.empty());
    CHECK(all[1].problem == "no such file");
    CHECK(all[7].problem == "not a socket");
    CHECK(all[7].system_rootful);
    CHECK(all[8].system_rootful);
}

TEST_CASE("candidates: XDG_RUNTIME_DIR comes before /run/user, and the same socket is tried once") {
    Machine machine;
    machine.set("XDG_RUNTIME_DIR", machine.at("/xdg/"));
    machine.listen("/run/user/1000/podman/podman.sock");
    std::filesystem::create_directories(machine.at("/xdg"));
    std::filesystem::create_directory_symlink(machine.at("/run/user/1000/podman"), machine.at("/xdg/podman"));
    const std::vector<Candidate> all = machine.search("podman");
    CHECK(all[0].url == "unix://" + machine.at("/xdg/podman/podman.sock"));
    CHECK(all[0].problem.empty());
    CHECK(all[1].problem == "the same socket as " + machine.at("/xdg/podman/podman.sock"));
}

TEST_CASE("candidates: usual places on a Mac") {
    Machine machine;
    machine.around.macos = true;
    machine.set("TMPDIR", machine.at("/T/"));
    machine.listen("/T/podman/podman-machine-default-api.sock");
    std::vector<std::string> found = sources(machine.search());
    CHECK(found == std::vector<std::string>{"the podman machine", "Docker Desktop", "OrbStack",
                                            "Rancher Desktop", "Colima", "Lima",
                                            "the system's Docker socket"});
    CHECK(machine.search()[0].url == "unix://" + machine.at("/T/podman/podman-machine-default-api.sock"));
    CHECK_FALSE(machine.search().back().system_rootful);
    machine.set("TMPDIR", "");
    machine.listen("/tmp/podman/podman-machine-default-api.sock");
    CHECK(machine.search()[0].url == "unix://" + machine.at("/tmp/podman/podman-machine-default-api.sock"));
}

TEST_CASE("candidates: a socket path that is too long is said, not tried") {
    Machine machine;
    machine.set("XDG_RUNTIME_DIR", machine.at("/" + std::string(120, 'x')));
    CHECK(machine.search()[0].problem.find("107") != std::string::npos);
}

TEST_CASE("candidates: without a home there is nothing to read there") {
    Machine machine;
    machine.around.home.clear();
    CHECK(said(machine).empty());
    CHECK_FALSE(machine.search().empty());
}
