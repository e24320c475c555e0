#include "src/engines/advice.h"

#include <doctest/doctest.h>

using engines::Advice;
using engines::Candidate;
using engines::Host;
using runtime_api::EngineInfo;

namespace {

/// What comes of words said by the engine at url; "trouble: remedy", or "".
std::string on(const std::string& words, const std::string& url = "unix:///run/user/1000/podman/podman.sock",
               const Host& host = {}) {
    const auto found = engines::advice_on_error(host, runtime_api::parse_endpoint(url), words);
    return found ? found->trouble + ": " + found->remedy : "";
}

Host usual_host() {
    Host out;
    out.uid = 1000;
    out.systemd = out.user_session = out.podman_unit = true;
    out.runtime_dir = "/run/user/1000";
    return out;
}

Candidate place(const std::string& url, const std::string& source = "somewhere", bool said = false) {
    Candidate out;
    out.source = source;
    out.url = url;
    out.said = said;
    out.endpoint = runtime_api::parse_endpoint(url);
    return out;
}

std::string at(const Host& host, const Candidate& candidate, const std::string& words) {
    const auto found = engines::advice_on_place(host, candidate, words);
    return found ? found->remedy : "";
}

std::string about(const EngineInfo& info) {
    std::string out;
    for (const Advice& each : engines::advice_on_engine(info))
        out += each.trouble + ": " + each.remedy + '\n';
    return out;
}

#define CHECK_HAS(text, part) CHECK_MESSAGE(std::string(text).find(part) != std::string::npos, (text))

} // namespace

TEST_CASE("advice: no systemd user session") {
    CHECK_HAS(on("start container: HTTP 500: crun: sd-bus call: Interactive authentication required.: "
                 "Permission denied"),
              "loginctl enable-linger");
    CHECK_HAS(on("Failed to connect to bus: No medium found"), "cgroup_manager = \"cgroupfs\"");
    for (const char* words :
         {"The cgroupv2 manager is set to systemd but there is no systemd user session available",
          "crun: sd-bus call: Permission denied: OCI permission denied",
          "crun: cannot open sd-bus: No such file or directory: OCI runtime attempted to invoke a command "
          "that was not found",
          "runc create failed: unable to start container process: could not detect DBUS_SESSION_BUS_ADDRESS "
          "from the environment; make sure you have installed the dbus-user-session or dbus-daemon package",
          "runc create failed: rootless needs no limits + no cgrouppath when no permission is granted for "
          "cgroups: mkdir /sys/fs/cgroup/x: permission denied"})
        CHECK_HAS(on(std::string("start container x: HTTP 500: ") + words), "loginctl enable-linger");
}

TEST_CASE("advice: cgroup v1") {
    CHECK_HAS(on("Resource limits are not supported and ignored on cgroups V1 rootless systems"),
              "systemd.unified_cgroup_hierarchy=1");
    EngineInfo info;
    info.rootless = true;
    info.cgroup_version = 1;
    CHECK_HAS(about(info), "ignores limits of memory and processes: boot with cgroup v2");
    info.rootless = false;
    CHECK(about(info).empty());
}

TEST_CASE("advice: controllers that are not delegated") {
    EngineInfo info;
    info.rootless = true;
    info.cgroup_version = 2;
    info.cgroup_controllers = {"memory", "pids"};
    CHECK_HAS(about(info), "cannot use these cgroup controllers: cpu: printf '[Service]\\nDelegate=cpu "
                           "cpuset io memory pids\\n'");
    info.cgroup_controllers.emplace_back("cpu");
    CHECK(about(info).empty());
    CHECK_HAS(on("crun: the requested cgroup controller `pids` is not available: OCI runtime error"),
              "Delegate=");
    for (const char* words :
         {"crun: opening file `memory.max` for writing: No such file or directory",
          "crun: controller `pids` is not available under /sys/fs/cgroup/x/cgroup.controllers",
          "runc create failed: error setting cgroup config for procHooks process: openat2 "
          "/sys/fs/cgroup/user.slice/user-1000.slice/x/cpu.max: no such file or directory"})
        CHECK_HAS(on(words), "Delegate=");
}

TEST_CASE("advice: a kernel that does not count swap") {
    const std::string words = "crun: opening file `memory.swap.max` for writing: ";
    CHECK_HAS(on(words + "Permission denied"), "swapaccount=1");
    CHECK_HAS(on(words + "No such file or directory"), "Delegate=");
}

TEST_CASE("advice: an engine without cgroups, or without a limit") {
    EngineInfo info;
    info.rootless = true;
    info.cgroup_driver = "none";
    CHECK_HAS(about(info), "enforces no limit of memory or processes");
    info.cgroup_driver = "systemd";
    info.memory_limit = false;
    info.pids_limit = false;
    CHECK_HAS(about(info), "controllers: memory, pids: ");
    info = EngineInfo();
    info.swap_limit = false;
    CHECK_HAS(about(info), "swapaccount=1");
}

TEST_CASE("advice: missing subuid ranges") {
    const std::string remedy =
        "usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER && podman system migrate";
    CHECK_HAS(on("cannot find UID/GID for user me: no subuid ranges found for user \"me\" in /etc/subuid - "
                 "check rootless mode in man pages."),
              remedy);
    CHECK_HAS(on("potentially insufficient UIDs or GIDs available in user namespace (requested 0:42 for "
                 "/etc/shadow)"),
              remedy);
    CHECK_HAS(on("newuidmap: write to uid_map failed: Operation not permitted"), remedy);
    CHECK_HAS(on("newuidmap: uid range [1-65537) -> [100000-165536) not allowed"), remedy);
    CHECK_HAS(on("there might not be enough IDs available in the namespace (requested 0:42 for /etc/shadow): "
                 "lchown /etc/shadow: invalid argument"),
              remedy);
    CHECK_HAS(
        on("runc create failed: unable to start container process: unable to setup user: invalid argument"),
        remedy);
    CHECK_HAS(on("crun: cannot setresgid to 65534: Invalid argument: OCI runtime error"), remedy);
    EngineInfo info;
    info.rootless = true;
    info.uids = 1;
    CHECK_HAS(about(info), "no subordinate uids");
    info.uids = 1001;
    CHECK_HAS(about(info), "too few subordinate uids");
    info.uids = 65537;
    CHECK(about(info).empty());
    CHECK_HAS(on("exec: \"newuidmap\": executable file not found in $PATH"), "apt install uidmap");
}

TEST_CASE("advice: Docker Desktop") {
    CHECK_HAS(
        on("HTTP 500: Docker Desktop is manually paused. Unpause it through the Whale menu or Dashboard."),
        "docker desktop restart");
    CHECK_HAS(on("HTTP 503: Docker Desktop is unable to start"), "systemctl --user start docker-desktop");
    Host mac;
    mac.macos = true;
    CHECK(at(mac, place("unix:///Users/me/.docker/run/docker.sock"), "connect to …: Connection refused") ==
          "open -a Docker");
    CHECK(at(mac, place("unix:///Users/me/.docker/run/docker.sock"), "no such file")
              .empty()); // not installed, as likely as not
    EngineInfo info;
    info.operating_system = "Docker Desktop";
    CHECK_HAS(about(info), "share its memory");
}

TEST_CASE("advice: podman machine stopped") {
    const Host linux_host = usual_host();
    const Candidate machine =
        place("unix:///run/user/1000/podman/podman-machine-default-api.sock", "the podman machine");
    CHECK(at(linux_host, machine, "connect to …: Connection refused") == "podman machine start");
    CHECK(at(linux_host, place("unix:///home/me/.local/share/containers/podman/machine/podman.sock"),
             "no such file")
              .empty());
    Host mac;
    mac.macos = true;
    CHECK(at(mac, place("unix:///Users/me/.local/share/containers/podman/machine/podman.sock"),
             "no such file") == "podman machine start");
    const Candidate said = place("ssh://core@127.0.0.1:50000/run/user/501/podman/podman.sock",
                                 "podman's default connection \"podman-machine-default\"", true);
    CHECK(at(mac, said, "ssh: connect to host 127.0.0.1 port 50000: Connection refused") ==
          "podman machine start");
    CHECK_HAS(on("Cannot connect to Podman. Please verify your connection to the Linux system"),
              "podman machine start");
}

TEST_CASE("advice: SELinux") {
    CHECK_HAS(on("HTTP 500: lsetxattr /var/lib/x: operation not permitted"), "ausearch -m avc -ts recent");
    CHECK_HAS(on("SELinux relabeling of /x is not allowed"), "restorecon -R -v");
    CHECK_HAS(on("crun: write to `/proc/self/attr/keycreate`: Invalid argument"), "container-selinux");
    CHECK_HAS(on("python3: error while loading shared libraries: libc.so.6: cannot apply additional memory "
                 "protection after relocation: Permission denied"),
              "restorecon -R -v");
}

TEST_CASE("advice: permission of the socket") {
    Host host = usual_host();
    const std::string denied = "connect to unix:///x: Permission denied";
    CHECK_HAS(on(denied, "unix:///var/run/docker.sock", host), "usermod -aG docker $USER");
    CHECK_HAS(on("permission denied", "unix:///run/docker.sock", host), "as good as root");
    host.docker_rootless_tool = true;
    CHECK_HAS(on(denied, "unix:///var/run/docker.sock", host), "dockerd-rootless-setuptool.sh install");
    CHECK_HAS(on(denied, "unix:///run/podman/podman.sock", host),
              "use podman as this user: systemctl --user enable --now podman.socket");
    CHECK(
        on("create container x: HTTP 500: mkdir /y: permission denied").empty()); // the engine's own trouble
}

TEST_CASE("advice: crun and hybrid cgroups") {
    CHECK_HAS(on("OCI runtime error: crun: cgroups in hybrid mode not supported, drop all controllers from "
                 "cgroupv2"),
              "runtime = \"runc\" under [engine]");
}

TEST_CASE("advice: gVisor where each network namespace looks like the host's") {
    CHECK_HAS(on("starting container: setting up network: creating interfaces from net namespace "
                 "\"/proc/20747/ns/net\": cannot run with network enabled in root network namespace"),
              "\"runtimeArgs\": [\"--network=none\"]");
}

TEST_CASE("advice: rlimits below the engine's defaults") {
    CHECK_HAS(on("crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted: OCI permission denied"),
              "default_ulimits under [containers]");
    CHECK_HAS(on("runc create failed: error setting rlimit type 7: operation not permitted"), "LimitNOFILE=");
}

TEST_CASE("advice: a podman socket that could be started") {
    Host host = usual_host();
    const Candidate socket = place("unix:///run/user/1000/podman/podman.sock");
    CHECK(at(host, socket, "no such file") == "systemctl --user enable --now podman.socket");
    CHECK(at(host, socket, "connect to …: Connection refused") ==
          "systemctl --user enable --now podman.socket");
    CHECK(at(host, socket, "something else").empty());
    host.user_session = false;
    CHECK_HAS(at(host, socket, "no such file"), "sudo loginctl enable-linger $USER");
    host.systemd = false;
    CHECK(at(host, socket, "no such file") == "sudo install -d -m 700 -o $USER /run/user/1000; mkdir -p "
                                              "/run/user/1000/podman; podman system service --time=0 "
                                              "unix:///run/user/1000/podman/podman.sock &");
    host.user_session = true;
    CHECK(at(host, socket, "no such file") == "mkdir -p /run/user/1000/podman; podman system service "
                                              "--time=0 unix:///run/user/1000/podman/podman.sock &");
    host.podman_unit = false;
    CHECK(at(host, socket, "no such file").empty());
    host.podman_program = true;
    CHECK_FALSE(at(host, socket, "no such file").empty());
    host.uid = 0;
    CHECK_HAS(at(host, socket, "no such file"), "as an ordinary user");
    host.systemd = true;
    CHECK_HAS(at(host, socket, "no such file"), "(and: systemctl enable --now podman.socket)");
}

TEST_CASE("advice: an engine that was stopped, or is not where it was said to be") {
    const Host host = usual_host();
    const std::string refused = "connect to …: Connection refused";
    CHECK(at(host, place("unix:///var/run/docker.sock"), refused) == "sudo systemctl start docker");
    CHECK(at(host, place("unix:///run/user/1000/docker.sock"), refused) == "systemctl --user start docker");
    CHECK(at(host, place("unix:///run/podman/podman.sock"), refused) ==
          "sudo systemctl restart podman.socket");
    CHECK(at(host, place("unix:///var/run/docker.sock"), "no such file").empty()); // not everybody has one
    CHECK(at(host, place("unix:///var/run/docker.sock", "DOCKER_HOST", true),
             "connect to …: No such file or directory") ==
          "correct the path, or: sudo systemctl start docker");
    Host bare = host;
    bare.systemd = false;
    const std::string serve = "mkdir -p /x/podman; podman system service --time=0 unix:///x/podman/p.sock &";
    CHECK(at(bare, place("unix:///x/podman/p.sock", "CONTAINER_HOST", true), refused) == serve);
    CHECK(at(bare, place("unix:///x/docker.sock", "DOCKER_HOST", true), refused) == "start its dockerd");
    CHECK_HAS(at(host, place("unix:///x/p.sock", "CONTAINER_HOST", true), refused),
              "start the engine whose it is");
    CHECK_HAS(at(host, place("tcp://127.0.0.1:2375", "DOCKER_HOST", true), refused), "correct the port");
}

TEST_CASE("advice: ssh's words") {
    const std::string far = "ssh://me@far.example:2222/run/x.sock";
    CHECK_HAS(on("Host key verification failed.", far), "accept it once by hand: ssh -p 2222 me@far.example");
    CHECK_HAS(on("Host key for far.example has changed and you have requested strict checking.; Host key "
                 "verification failed.",
                 far),
              "ssh-keygen -R");
    CHECK_HAS(on("me@far.example: Permission denied (publickey,password).", far), "ssh-add");
    CHECK_HAS(on("ssh: Could not resolve hostname far.example: Name or service not known", far),
              "~/.ssh/config");
    CHECK_HAS(on("channel 2: open failed: administratively prohibited: open failed", far),
              "AllowStreamLocalForwarding yes and AllowTcpForwarding yes");
    CHECK_HAS(
        on("channel 0: open failed: administratively prohibited: open failed; stdio forwarding failed", far),
        "in /etc/ssh/sshd_config: AllowTcpForwarding yes");
    CHECK_HAS(on("channel 0: open failed: connect failed: No route to host; stdio forwarding failed", far),
              "look from there");
    CHECK_HAS(
        on("ssh: connect to host b port 22: Connection refused; Connection closed by UNKNOWN port 65535",
           far),
        "try the way by hand: ssh -p 2222 me@far.example true");
    CHECK_HAS(on("ssh: connect to host far.example port 2222: Connection refused", far),
              "where it stops says: ssh -p 2222 me@far.example -v true");
    CHECK_HAS(on("ssh did not set up the tunnel within 30 s", far), "where it stops says");
    CHECK_HAS(on("channel 2: open failed: connect failed: open failed", far), "loginctl enable-linger");
    CHECK_HAS(on("channel 2: open failed: connect failed", "ssh://far.example/var/run/docker.sock"),
              "start Docker there");
    CHECK(on("Host key verification failed.").empty()); // only over ssh
}

TEST_CASE("advice: TLS") {
    CHECK_HAS(on("HTTP 400: Client sent an HTTP request to an HTTPS server.", "tcp://127.0.0.1:2376"),
              "write https://");
    CHECK_HAS(on("SSL certificate problem: unable to get local issuer certificate", "https://e.example:2376"),
              "--runtime-tls-ca with");
    CHECK_HAS(on("talking to https://e.example:2376: Empty reply from server", "https://e.example:2376"),
              "--runtime-tls-cert and --runtime-tls-key");
    CHECK_HAS(on("talking to tcp://e.example:2376: Empty reply from server", "tcp://e.example:2376"),
              "write https://");
    CHECK(on("inspect container x: talking to https://e.example:2376: Empty reply from server",
             "https://e.example:2376")
              .empty()); // it took the certificate before
    CHECK_HAS(on("tlsv13 alert certificate required", "https://e.example:2376"),
              "--runtime-tls-cert and --runtime-tls-key");
    CHECK_HAS(
        on("SSL: no alternative certificate subject name matches target host name 'e'", "https://[::1]:2376"),
        "another name: use a name or address that the certificate has: openssl s_client -connect [::1]:2376");
}

TEST_CASE("advice: TLS, its files and certificates that are past their time") {
    const auto https = [](const std::string& words) { return on(words, "https://e.example:2376"); };
    CHECK_HAS(https("TLS: /k.pem: the key is locked with a passphrase, and nobody can be asked for it here"),
              "openssl pkey -in KEY");
    CHECK_HAS(https("TLS: /k.pem: the key is not that of the certificate in /c.pem"), "not of one pair");
    CHECK_HAS(https("TLS: /k.pem: there is no key in it (PEM)"), "not in PEM");
    CHECK_HAS(
        https("talking to https://e.example:2376: sslv3 alert bad certificate; the client's certificate "
              "/c.pem expired on Nov 29 00:00:00 2026 GMT"),
        "has expired: a new certificate");
    CHECK_HAS(
        https("talking to https://e.example:2376: sslv3 alert bad certificate; the client's certificate "
              "/c.pem is not valid before Nov 29 00:00:00 2027 GMT"),
        "set the clock");
    CHECK_HAS(https("sslv3 alert certificate expired"), "--runtime-tls-cert and --runtime-tls-key");
    CHECK_HAS(https("sslv3 alert unsupported certificate"), "clientAuth");
    CHECK_HAS(https("SSL certificate problem: certificate has expired"), "renew it");
    CHECK_HAS(https("error:0A00042E:SSL routines::tlsv1 alert protocol version"), "TLS 1.2");
    CHECK_HAS(https("error:0A00010B:SSL routines::wrong version number"), "does not speak TLS");
    CHECK_HAS(https("talking to https://e.example:2376: the other side ended the connection"),
              "--runtime-tls-cert and --runtime-tls-key");
}

TEST_CASE("advice: an engine's certificate that is not checked") {
    runtime_api::Endpoint endpoint = runtime_api::parse_endpoint("https://e.example:2376");
    CHECK_FALSE(engines::advice_on_endpoint(endpoint));
    endpoint.verify = false;
    CHECK_HAS(engines::advice_on_endpoint(endpoint)->trouble, "not checked");
    endpoint = runtime_api::parse_endpoint("unix:///s");
    endpoint.verify = false;
    CHECK_FALSE(engines::advice_on_endpoint(endpoint));
}

TEST_CASE("advice: a slow storage driver and a missing seccomp profile") {
    EngineInfo info;
    info.storage_driver = "vfs";
    CHECK_HAS(about(info), "driver = \"overlay\"");
    info = EngineInfo();
    info.seccomp = false;
    CHECK_HAS(about(info), "no seccomp profile");
}

TEST_CASE("advice: pulls") {
    CHECK_HAS(on("pull image r/x:1: HTTP 500: connection refused"), "cannot reach the registry");
    CHECK(on("pull image r/x:1: connect to unix:///s: Connection refused").empty());
    CHECK_HAS(on("pull image r/x:1: dial tcp: lookup r: no such host"), "cannot reach the registry");
    CHECK_HAS(on("pull image r/x:1: tls: failed to verify certificate: x509: certificate signed by unknown "
                 "authority"),
              "certs.d");
    CHECK_HAS(on("pull image r/x:1: http: server gave HTTP response to HTTPS client"), "does not speak TLS");
    CHECK_HAS(on("pull image x: toomanyrequests: You have reached your pull rate limit"), "limits pulls");
    CHECK_HAS(on("pull image r/x:1: unauthorized: authentication required"), "podman login");
    CHECK_HAS(on("pull image r/x:1: no basic auth credentials"), "docker login");
    CHECK_HAS(
        on("pull image x: short-name \"x\" did not resolve to an alias and no unqualified-search registries "
           "are defined"),
        "write it in full");
    CHECK_HAS(on("pull image r/x:1: manifest unknown"), "no such image or tag");
    CHECK_HAS(on("pull image r/x:1: no image found in manifest list for architecture s390x"), "architecture");
    CHECK_HAS(on("pull image r/x:1: HTTP 500: denied"), "right login");
    CHECK_HAS(on("pull image r/x:1: HTTP 500: error parsing HTTP 403 response body: x"), "right login");
    CHECK_HAS(on("pull image r/x:1: HTTP 500: error parsing HTTP 429 response body: x"), "limits pulls");
    CHECK_HAS(on("pull image r/x:1: received unexpected HTTP status: 503 Service Unavailable"), "later");
    CHECK_HAS(on("pull image r/x:1: nothing came for 150 s: the registry does not send"), "--pull-timeout");
    const std::string cut = "read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer";
    CHECK_HAS(on("pull image r/x:1: " + cut), "try again");
    CHECK(on("pull image r/x:1: talking to unix:///s: Connection reset by peer").empty());
}

TEST_CASE("advice: a full disk is named as the engine names it") {
    Host host = usual_host();
    const std::string words =
        "pull image r/x:1: processing tar file(write /content: no space left on device)";
    CHECK_HAS(on(words), "the engine's disk is full: make room");
    host.storage_folder = "/srv/images";
    CHECK_HAS(on(words, "unix:///s", host), "that of /srv/images, on its host");
    CHECK_HAS(on(words, "unix:///s", host), "df -h /srv/images");
    CHECK_HAS(on("pull image r/x:1: write /var/tmp/x: no space left on device", "unix:///s", host),
              "image_copy_tmp_dir");
}

TEST_CASE("advice: nothing for words that are unknown, and nothing for an engine in order") {
    CHECK(on("HTTP 500: something new").empty());
    CHECK(on("").empty());
    CHECK(about(EngineInfo()).empty());
}

TEST_CASE("advice: no version of Docker's API that both know") {
    CHECK_HAS(on("this Docker no longer speaks the API versions known here: it asks for 1.60 or newer"),
              "DOCKER_MIN_API_VERSION=1.56");
    CHECK_HAS(on("this Docker is too old: its API is 1.40"), "Docker 20.10 or newer");
    CHECK_HAS(on("this podman is too old: its API is 3.0.0"), "podman 4 or newer");
}

TEST_CASE("advice: what containers.conf asks for and the host has not names the setting") {
    CHECK_HAS(on("creating container storage: could not find enough available IDs"),
              "userns in containers.conf");
    CHECK_HAS(on("requested OCI runtime runc is not compatible with NoCgroups: invalid argument"),
              "cgroups = \"disabled\" out of containers.conf");
}
