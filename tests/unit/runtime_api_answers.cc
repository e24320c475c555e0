#include <doctest/doctest.h>

#include <string>

#include "runtime_api/docker_json.h"
#include "runtime_api/engine_answer.h"
#include "runtime_api/error.h"
#include "runtime_api/libpod_json.h"
#include "src/base/json.h"

using runtime_api::Errc;

TEST_CASE("libpod::read_state: a hardened container, and one that is not") {
    const runtime_api::ContainerState state =
        runtime_api::libpod::read_state(R"j({"Id":"abc","Name":"n","OCIRuntime":"runc",
        "State":{"Status":"exited","Running":false,"OOMKilled":true,"ExitCode":137,"Error":"e"},"EffectiveCaps":null,"Mounts":[],
        "Config":{"User":"65534:65534"},"HostConfig":{"NetworkMode":"none","ReadonlyRootfs":true,"Privileged":false,"CapAdd":[],
        "CapDrop":["CAP_CHOWN","CAP_KILL"],"SecurityOpt":["no-new-privileges"],"Memory":512,"MemorySwap":512,"PidsLimit":64,
        "Tmpfs":{"/tmp":"rw","/dev/shm":"rw"}}})j");
    CHECK(state.id == "abc");
    CHECK(state.name == "n");
    CHECK(state.status == "exited");
    CHECK(state.exit_code == 137);
    CHECK(state.oom_killed);
    CHECK(state.error == "e");
    CHECK(state.user == "65534:65534");
    CHECK(state.network_mode == "none");
    CHECK(state.read_only_rootfs);
    CHECK(!state.privileged);
    CHECK(state.cap_drop.size() == 2);
    CHECK(state.effective_caps.empty());
    CHECK(state.no_new_privileges);
    CHECK(!state.seccomp_unconfined);
    CHECK(state.memory_bytes == 512);
    CHECK(state.memory_swap_bytes == 512);
    CHECK(state.pids == 64);
    CHECK(state.tmpfs == std::vector<std::string>{"/dev/shm", "/tmp"});
    CHECK(state.mounts.empty());
    CHECK(state.oci_runtime == "runc");

    const runtime_api::ContainerState weak = runtime_api::libpod::read_state(R"j({"Id":"abc","Name":"n",
        "State":{"Status":"running","Running":true,"ExitCode":0},"EffectiveCaps":["CAP_CHOWN"],
        "Mounts":[{"Type":"bind","Destination":"/etc"},{"Type":"tmpfs","Destination":"/t"},{"Type":"volume","Destination":"/data"}],
        "Config":{"User":""},"HostConfig":{"Privileged":true,"SecurityOpt":["seccomp=unconfined"],"Init":true}})j");
    CHECK(!weak.exit_code); // it runs
    CHECK(weak.running);
    CHECK(weak.privileged);
    CHECK(weak.init);
    CHECK(!weak.no_new_privileges);
    CHECK(weak.seccomp_unconfined);
    CHECK(weak.effective_caps == std::vector<std::string>{"CAP_CHOWN"});
    CHECK(weak.mounts == std::vector<std::string>{"/etc", "/data"});
}

TEST_CASE("docker::read_state: the name without its slash, null for what is not set") {
    const runtime_api::ContainerState state = runtime_api::docker::read_state(R"j({"Id":"abc","Name":"/n",
        "State":{"Status":"exited","Running":false,"OOMKilled":false,"ExitCode":3,"Error":""},"Config":{"User":"1:2"},
        "Mounts":[{"Type":"volume","Destination":"/data"}],
        "HostConfig":{"NetworkMode":"none","ReadonlyRootfs":true,"CapAdd":null,"CapDrop":["ALL"],"SecurityOpt":["no-new-privileges:true"],
        "Memory":512,"MemorySwap":512,"PidsLimit":null,"Init":null,"Runtime":"runc","Tmpfs":{"/tmp":"rw"}}})j");
    CHECK(state.name == "n");
    CHECK(state.exit_code == 3);
    CHECK(state.no_new_privileges);
    CHECK(state.pids == 0);
    CHECK(!state.init);
    CHECK(state.mounts == std::vector<std::string>{"/data"});
    for (const char* option : {"seccomp=unconfined", "seccomp:unconfined"}) {
        const std::string body =
            std::string(
                R"({"Id":"a","Name":"/n","State":{"Status":"created"},"Config":{},"HostConfig":{"SecurityOpt":[")") +
            option + R"(","no-new-privileges:false"]}})";
        CHECK(runtime_api::docker::read_state(body).seccomp_unconfined);
        CHECK(!runtime_api::docker::read_state(body).no_new_privileges);
    }
}

TEST_CASE("docker::read_image_defaults: none in each spelling, or the places of volumes and the names of "
          "variables") {
    using runtime_api::docker::read_image_defaults;
    for (const char* none : {"{}", R"({"Config":null})", R"({"Config":{}})", R"({"Config":{"Volumes":null}})",
                             R"({"Config":{"Volumes":{}}})"})
        CHECK(read_image_defaults(none).volumes.empty());
    CHECK(read_image_defaults(R"({"Config":{"Volumes":{"/a":{},"/b":{}}}})").volumes ==
          std::vector<std::string>{"/a", "/b"});
    CHECK(read_image_defaults(R"({"Config":{"Env":null}})").variables.empty());
    CHECK(read_image_defaults(R"({"Config":{"Env":["A=1=2","B=","C"]}})").variables ==
          std::vector<std::string>{"A", "B", "C"});
}

TEST_CASE("read_list: both dialects, and an empty list in each spelling") {
    const auto libpod = runtime_api::libpod::read_list(
        R"([{"Id":"1","Names":["a"],"State":"running","Labels":{"k":"v"}},{"Id":"2","Names":null,"Labels":null}])");
    REQUIRE(libpod.size() == 2);
    CHECK(libpod[0].name == "a");
    CHECK(libpod[0].labels.at("k") == "v");
    CHECK(libpod[1].name.empty());
    const auto docker =
        runtime_api::docker::read_list(R"([{"Id":"1","Names":["/a"],"State":"exited","Labels":{}}])");
    CHECK(docker.at(0).name == "a");
    CHECK(docker.at(0).state == "exited");
    CHECK(runtime_api::libpod::read_list("[]").empty());
    CHECK(runtime_api::libpod::read_list("null").empty());
}

TEST_CASE("read_info: what an engine can enforce, in our terms") {
    const runtime_api::EngineInfo podman = runtime_api::libpod::read_info(
        R"j({"host":{"arch":"amd64","hostname":"h","kernel":"6","cpus":2,"memTotal":99,
        "cgroupManager":"systemd","cgroupVersion":"v2","cgroupControllers":["memory","pids"],"ociRuntime":{"name":"crun"},
        "distribution":{"distribution":"debian","version":"12"},
        "security":{"rootless":true,"seccompEnabled":true,"apparmorEnabled":false,"selinuxEnabled":true}},
        "store":{"graphDriverName":"overlay"},"version":{"APIVersion":"4.3.1","Version":"4.3.1"}})j");
    CHECK(podman.dialect == runtime_api::Dialect::libpod);
    CHECK(podman.version == "4.3.1");
    CHECK(podman.rootless == true);
    CHECK(podman.cgroup_version == 2);
    CHECK(podman.cgroup_controllers == std::vector<std::string>{"memory", "pids"});
    CHECK(podman.seccomp == true);
    CHECK(podman.selinux);
    CHECK(podman.storage_driver == "overlay");
    CHECK(podman.oci_runtime == "crun");
    CHECK(podman.operating_system == "debian 12");
    CHECK(!podman.memory_limit);

    const runtime_api::EngineInfo docker = runtime_api::docker::read_info(
        R"j({"ServerVersion":"26.1.5","Driver":"overlay2","CgroupDriver":"none","CgroupVersion":"1",
        "MemoryLimit":false,"SwapLimit":true,"PidsLimit":false,"CpuCfsQuota":true,"SecurityOptions":["name=seccomp,profile=builtin","name=rootless"],
        "DefaultRuntime":"runc","Runtimes":{"runc":{"path":"runc"},"runsc":{}},"OperatingSystem":"Docker Desktop","NCPU":4,"MemTotal":5})j");
    CHECK(docker.rootless == true);
    CHECK(docker.seccomp == true);
    CHECK(!docker.apparmor);
    CHECK(docker.memory_limit == false);
    CHECK(docker.swap_limit == true);
    CHECK(docker.pids_limit == false);
    CHECK(docker.cgroup_driver == "none");
    CHECK(docker.oci_runtimes == std::vector<std::string>{"runc", "runsc"});
    CHECK(docker.operating_system == "Docker Desktop");
    const auto unconfined = runtime_api::docker::read_info(
        R"({"ServerVersion":"1","SecurityOptions":["name=seccomp,profile=unconfined"]})");
    CHECK(unconfined.seccomp == false);
    CHECK(unconfined.rootless == false);
    CHECK(!runtime_api::docker::read_info(R"({"ServerVersion":"1"})").rootless); // it does not say
}

TEST_CASE("answers of the wrong shape are told by their place") {
    CHECK_THROWS_WITH_AS(runtime_api::libpod::read_created(R"({"Id":7})"), "answer.Id: expected string",
                         json::Error);
    CHECK_THROWS_AS(runtime_api::libpod::read_state("[]"), json::Error);
    CHECK_THROWS_AS(runtime_api::docker::read_list(R"({"a":1})"), json::Error);
    CHECK_THROWS_AS(runtime_api::docker::read_info("null"), json::Error);
    CHECK_THROWS_AS(runtime_api::libpod::read_exit_code("x\n"), json::Error);
    CHECK(runtime_api::libpod::read_exit_code("-1\n") == -1);
    CHECK(runtime_api::docker::read_exit_code(R"({"StatusCode":7,"Error":null})") == 7);
    const std::string deep = R"({"Id":"x","a":)" + std::string(64, '[') + std::string(64, ']') + "}";
    CHECK_THROWS_AS(runtime_api::libpod::read_created(deep), json::Error);
    CHECK(runtime_api::libpod::read_created(R"({"Id":"x","a":)" + std::string(63, '[') +
                                            std::string(63, ']') + "}")
              .id == "x");
}

TEST_CASE(
    "docker::negotiate: 1.44 where there is one, else the nearest from 1.41 to 1.56, else a clear error") {
    using runtime_api::docker::negotiate;
    CHECK(negotiate("1.12", "1.41") == "1.41");
    CHECK(negotiate("1.24", "1.43") == "1.43");
    CHECK(negotiate("1.24", "1.44") == "1.44");
    CHECK(negotiate("1.40", "1.55") == "1.44");
    CHECK(negotiate("1.44", "1.52") == "1.44");
    CHECK_THROWS_WITH_AS(negotiate("1.12", "1.40"), doctest::Contains("too old"), runtime_api::Error);
    CHECK(negotiate("1.45", "1.45") == "1.45");
    CHECK(negotiate("1.50", "1.60") == "1.50");
    CHECK(negotiate("1.56", "1.60") == "1.56");
    CHECK_THROWS_WITH_AS(negotiate("1.57", "1.60"), doctest::Contains("1.41 to 1.56"), runtime_api::Error);
    for (const char* odd : {"", "2.0", "1.", "1.4x", "1.-4", "1.99999999999"})
        CHECK_THROWS_AS(negotiate("1.12", odd), runtime_api::Error);
    CHECK(runtime_api::docker::read_version(R"({"ApiVersion":"1.55","MinAPIVersion":"1.40"})").oldest ==
          "1.40");
}

TEST_CASE("libpod::check_version: podman 4 and later, and what says nothing of use") {
    using runtime_api::libpod::check_version;
    CHECK_THROWS_WITH_AS(check_version("3.4.4"), doctest::Contains("too old: its API is 3.4.4"),
                         runtime_api::Error);
    for (const char* good : {"4.0.0", "4.0.0-dev", "5.8.2", "6.0.0", "", "x"})
        CHECK_NOTHROW(check_version(good));
}

TEST_CASE("answer_error: both engines' words, by what a caller can do about them") {
    struct Case {
        int status;
        const char* body;
        Errc code;
        const char* words;
    };
    const Case table[] = {
        // podman 4.3
        {500, R"({"cause":"image not known","message":"localhost/x:latest: image not known","response":500})",
         Errc::not_found, "image not known"},
        {500,
         R"({"cause":"that name is already in use","message":"the container name \"x1\" is already in use by 89. You have to remove that container: that name is already in use","response":500})",
         Errc::conflict, "x1"},
        {500,
         R"({"cause":"container state improper","message":"can only kill running containers. 89 is in state created: container state improper","response":500})",
         Errc::conflict, "created"},
        {404,
         R"({"cause":"no such container","message":"no container with name or ID \"x9\" found: no such container","response":404})",
         Errc::not_found, "x9"},
        {500, R"({"cause":"x","message":"timed out waiting for file /exits/1","response":500})",
         Errc::engine_fault, "exits"},
        {500, R"({"cause":"invalid reference format","message":"invalid reference format","response":500})",
         Errc::rejected, "reference"},
        {500,
         R"({"message":"runc: exec: \"/nope\": OCI runtime attempted to invoke a command that was not found"})",
         Errc::rejected, "/nope"},
        // Docker
        {404, R"({"message":"No such image: x:latest"})", Errc::not_found, "No such image"},
        {409, R"({"message":"Conflict. The container name \"/x1\" is already in use"})", Errc::conflict,
         "/x1"},
        {404, "No such container: x9", Errc::not_found, "x9"}, // plain text before a hijack
        {400, "client version 1.10 is too old", Errc::rejected, "too old"},
        {500, R"({"message":"driver failed"})", Errc::engine_fault, "driver failed"},
        // neither
        {503, "", Errc::engine_fault, "HTTP 503"},
        {302, "", Errc::protocol, "HTTP 302"},
        {500, "\x1b[31mred\nline\xff", Errc::engine_fault, " [31mred line"},
    };
    for (const Case& each : table) {
        CAPTURE(each.body);
        const runtime_api::Error error =
            runtime_api::answer_error("do it", runtime_api::HttpResponse{each.status, {}, each.body});
        CHECK(error.code() == each.code);
        CHECK(std::string(error.what()).starts_with("do it: HTTP "));
        CHECK(std::string(error.what()).find(each.words) != std::string::npos);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
}

TEST_CASE("one_line: bounded, printable and UTF-8") {
    CHECK(runtime_api::one_line("a\tb\r\n") == "a b");
    CHECK(runtime_api::one_line(std::string(1000, 'x')).size() == 1000);
    CHECK(runtime_api::one_line(std::string(1001, 'x')) == std::string(1000, 'x') + "…");
    CHECK(runtime_api::one_line("\xff") == "\xEF\xBF\xBD");
}
