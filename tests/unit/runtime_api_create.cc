#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runtime_api/container_spec.h"
#include "runtime_api/docker_json.h"
#include "runtime_api/error.h"
#include "runtime_api/libpod_json.h"
#include "src/base/json.h"

using runtime_api::ContainerSpec;

namespace {

ContainerSpec sample() {
    ContainerSpec spec;
    spec.name = "cordon-1";
    spec.image = "localhost/python:latest";
    spec.command = {"python3", "-c", "print(\"1\")"};
    spec.env = {{"HOME", "/workspace"}, {"PATH", "/usr/bin:/bin"}};
    spec.labels = {{"owner", "me"}};
    spec.tmpfs = {{"/tmp", 64 << 20}, {"/workspace", 128 << 20}, {"/dev/shm", 1 << 20}};
    spec.rlimits = {{"nofile", 1024}, {"core", 0}};
    spec.memory_bytes = 512 << 20;
    spec.pids = 77;
    return spec;
}

/// The JSON text at a path like "HostConfig.Memory" or "mounts[1].options".
std::string at(const std::string& body, const std::string& path) {
    std::string text = body;
    std::size_t i = 0;
    while (i < path.size()) {
        const json::Document document(text);
        const json::Reader in = document.root("body");
        if (path[i] == '[') {
            const std::size_t end = path.find(']', i);
            text = in[std::stoul(path.substr(i + 1, end - i - 1))].text();
            i = end + 1;
        } else {
            const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
            if (!in.find(path.substr(i, end - i))) return "absent";
            text = in.at(path.substr(i, end - i)).text();
            i = end;
        }
        if (i < path.size() && path[i] == '.') ++i;
    }
    return text;
}

struct Row {
    const char* path;
    const char* json;
};

} // namespace

TEST_CASE("libpod::create_body: every row of the container's confinement is there") {
    const std::string body = runtime_api::libpod::create_body(sample());
    const Row rows[] = {
        {"name", R"("cordon-1")"},
        {"image", R"("localhost/python:latest")"},
        {"command", R"j(["python3","-c","print(\"1\")"])j"},
        {"entrypoint", "[]"},
        {"env", R"({"HOME":"/workspace","PATH":"/usr/bin:/bin"})"},
        {"unsetenvall", "true"},
        {"env_host", "false"},
        {"httpproxy", "false"},
        {"labels", R"({"owner":"me"})"},
        {"user", R"("65534:65534")"},
        {"work_dir", R"("/workspace")"},
        {"hostname", R"("sandbox")"},
        {"stdin", "true"},
        {"terminal", "false"},
        {"privileged", "false"},
        {"netns.nsmode", R"("none")"},
        {"ipcns.nsmode", R"("private")"},
        {"pidns.nsmode", R"("private")"},
        {"utsns.nsmode", R"("private")"},
        {"cgroupns.nsmode", R"("private")"},
        {"read_only_filesystem", "true"},
        {"read_write_tmpfs", "false"},
        {"image_volume_mode", R"("ignore")"},
        {"use_image_hosts", "true"},
        {"use_image_resolve_conf", "true"},
        {"cap_drop", R"(["ALL"])"},
        {"no_new_privileges", "true"},
        {"mounts[0].destination", R"("/tmp")"},
        {"mounts[0].type", R"("tmpfs")"},
        {"mounts[0].options",
         R"(["rw","noexec","nosuid","nodev","mode=1777","notmpcopyup","size=67108864"])"},
        {"mounts[1].options",
         R"(["rw","noexec","nosuid","nodev","mode=1777","notmpcopyup","size=134217728"])"},
        {"mounts[2].destination", R"("/dev/shm")"},
        {"mounts[2].options", R"(["rw","noexec","nosuid","nodev","mode=1777","notmpcopyup","size=1048576"])"},
        {"resource_limits.memory", R"({"limit":536870912,"swap":536870912})"},
        {"resource_limits.pids.limit", "77"},
        {"r_limits", R"([{"type":"nofile","soft":1024,"hard":1024},{"type":"core","soft":0,"hard":0}])"},
        {"init", "false"},
        {"remove", "true"},
        {"log_configuration.driver", R"("none")"},
        {"healthconfig.Test", R"(["NONE"])"},
        {"systemd", R"("false")"},
        // what must not be said: it would weaken
        {"seccomp_profile_path", "absent"},
        {"cap_add", "absent"},
        {"volumes", "absent"},
        {"devices", "absent"},
        {"resource_limits.cpu", "absent"},
        {"oci_runtime", "absent"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(at(body, row.path) == row.json);
    }
}

TEST_CASE("docker::create_body: every row of the container's confinement is there") {
    const std::string body =
        runtime_api::docker::create_body(sample(), {{"/data", "/tmp"}, {"HOME", "GPG_KEY"}});
    const Row rows[] = {
        {"Image", R"("localhost/python:latest")"},
        {"Cmd", R"j(["python3","-c","print(\"1\")"])j"},
        {"Entrypoint", "[]"},
        {"Env", R"(["HOME=/workspace","PATH=/usr/bin:/bin","GPG_KEY"])"},
        {"Labels", R"({"owner":"me"})"},
        {"User", R"("65534:65534")"},
        {"WorkingDir", R"("/workspace")"},
        {"Hostname", R"("sandbox")"},
        {"OpenStdin", "true"},
        {"StdinOnce", "true"},
        {"Tty", "false"},
        {"NetworkDisabled", "true"},
        {"Healthcheck.Test", R"(["NONE"])"},
        {"HostConfig.NetworkMode", R"("none")"},
        {"HostConfig.ReadonlyRootfs", "true"},
        {"HostConfig.Privileged", "false"},
        {"HostConfig.CapDrop", R"(["ALL"])"},
        {"HostConfig.SecurityOpt", R"(["no-new-privileges:true"])"},
        {"HostConfig.IpcMode", R"("private")"},
        {"HostConfig.CgroupnsMode", R"("private")"},
        {"HostConfig.Tmpfs",
         R"({"/tmp":"rw,noexec,nosuid,nodev,size=67108864,mode=1777",)"
         R"("/workspace":"rw,noexec,nosuid,nodev,size=134217728,mode=0700,uid=65534,gid=65534",)"
         R"("/dev/shm":"rw,noexec,nosuid,nodev,size=1048576,mode=1777"})"},
        {"HostConfig.Memory", "536870912"},
        {"HostConfig.MemorySwap", "536870912"},
        {"HostConfig.PidsLimit", "77"},
        {"HostConfig.Ulimits",
         R"([{"Name":"nofile","Soft":1024,"Hard":1024},{"Name":"core","Soft":0,"Hard":0}])"},
        {"HostConfig.LogConfig.Type", R"("none")"},
        {"HostConfig.Init", "false"},
        {"HostConfig.AutoRemove", "true"},
        {"HostConfig.RestartPolicy.Name", R"("no")"},
        {"HostConfig.Dns", R"(["127.0.0.1"])"},
        {"HostConfig.Binds", "absent"},
        {"HostConfig.Mounts",
         R"([{"Type":"tmpfs","Target":"/data","ReadOnly":true,"TmpfsOptions":{"SizeBytes":4096,"Mode":365}}])"},
        {"HostConfig.CapAdd", "absent"},
        {"HostConfig.Devices", "absent"},
        {"HostConfig.PidMode", "absent"},
        {"HostConfig.UTSMode", "absent"},
        {"HostConfig.UsernsMode", "absent"},
        {"HostConfig.NanoCpus", "absent"},
        {"HostConfig.Runtime", "absent"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(at(body, row.path) == row.json);
    }
}

TEST_CASE("create_body: cpus, the user and the OCI runtime are passed through") {
    ContainerSpec spec = sample();
    spec.cpus = 1.5;
    spec.user = "1000:2000";
    spec.oci_runtime = "runsc";
    const std::string libpod = runtime_api::libpod::create_body(spec);
    CHECK(at(libpod, "resource_limits.cpu") == R"({"quota":150000,"period":100000})");
    CHECK(at(libpod, "user") == R"("1000:2000")");
    CHECK(at(libpod, "oci_runtime") == R"("runsc")");
    const std::string docker = runtime_api::docker::create_body(spec, {});
    CHECK(at(docker, "HostConfig.NanoCpus") == "1500000000");
    CHECK(at(docker, "HostConfig.Tmpfs./workspace").find("uid=1000,gid=2000") != std::string::npos);
    CHECK(at(docker, "HostConfig.Runtime") == R"("runsc")");
}

TEST_CASE("check_spec: what an engine would read as no limit, or otherwise than meant, is refused") {
    using Change = void (*)(ContainerSpec&);
    const std::pair<const char*, Change> changes[] = {
        {"no name", [](ContainerSpec& s) { s.name = ""; }},
        {"slash in the name", [](ContainerSpec& s) { s.name = "a/b"; }},
        {"dot first", [](ContainerSpec& s) { s.name = ".a"; }},
        {"no image", [](ContainerSpec& s) { s.image = ""; }},
        {"no command", [](ContainerSpec& s) { s.command.clear(); }},
        {"no memory limit", [](ContainerSpec& s) { s.memory_bytes = 0; }},
        {"unlimited memory", [](ContainerSpec& s) { s.memory_bytes = -1; }},
        {"no pids limit", [](ContainerSpec& s) { s.pids = 0; }},
        {"unlimited pids", [](ContainerSpec& s) { s.pids = -1; }},
        {"no cpus", [](ContainerSpec& s) { s.cpus = 0; }},
        {"cpus not a number", [](ContainerSpec& s) { s.cpus = std::nan(""); }},
        {"infinite cpus", [](ContainerSpec& s) { s.cpus = std::numeric_limits<double>::infinity(); }},
        {"a user by name", [](ContainerSpec& s) { s.user = "nobody"; }},
        {"no group", [](ContainerSpec& s) { s.user = "65534"; }},
        {"an empty user", [](ContainerSpec& s) { s.user = ""; }},
        {"a negative user", [](ContainerSpec& s) { s.user = "-1:0"; }},
        {"the uid that means none", [](ContainerSpec& s) { s.user = "4294967295:1"; }},
        {"a relative directory", [](ContainerSpec& s) { s.working_dir = "x"; }},
        {"tmpfs without a size", [](ContainerSpec& s) { s.tmpfs[0].size_bytes = 0; }},
        {"tmpfs on the root", [](ContainerSpec& s) { s.tmpfs[0].at = "/"; }},
        {"tmpfs with an option in its path", [](ContainerSpec& s) { s.tmpfs[0].at = "/tmp:exec"; }},
        {"tmpfs twice", [](ContainerSpec& s) { s.tmpfs[1].at = "/tmp"; }},
        {"a negative rlimit", [](ContainerSpec& s) { s.rlimits[0].value = -1; }},
        {"an rlimit in capitals", [](ContainerSpec& s) { s.rlimits[0].name = "RLIMIT_NOFILE"; }},
        {"an rlimit twice", [](ContainerSpec& s) { s.rlimits[1].name = "nofile"; }},
        {"a variable with '='", [](ContainerSpec& s) { s.env["A=B"] = "c"; }},
    };
    CHECK_NOTHROW(runtime_api::check_spec(sample()));
    for (const auto& [what, change] : changes) {
        CAPTURE(what);
        ContainerSpec spec = sample();
        change(spec);
        CHECK_THROWS_AS(runtime_api::check_spec(spec), runtime_api::Error);
        CHECK_THROWS_AS(runtime_api::libpod::create_body(spec), runtime_api::Error);
        CHECK_THROWS_AS(runtime_api::docker::create_body(spec, {}), runtime_api::Error);
    }
}
