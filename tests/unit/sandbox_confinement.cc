#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "src/sandbox/confinement.h"

using sandbox::Confinement;

namespace {

runtime_api::ContainerSpec spec_of(const Confinement& confinement) {
    return sandbox::to_spec(confinement, "cordon-x", {{"io.cordon", "1"}}, "LOADER");
}

std::map<std::string, std::int64_t> rlimits_of(const runtime_api::ContainerSpec& spec) {
    std::map<std::string, std::int64_t> limits;
    for (const auto& limit : spec.rlimits) limits[limit.name] = limit.value;
    return limits;
}

} // namespace

TEST_CASE("to_spec: the defaults are those of the design's table") {
    const auto spec = spec_of({.image = "python:3.14"});
    CHECK(spec.name == "cordon-x");
    CHECK(spec.image == "python:3.14");
    CHECK(spec.labels == std::map<std::string, std::string>{{"io.cordon", "1"}});
    CHECK(spec.user == "65534:65534");
    CHECK(spec.working_dir == "/workspace");
    CHECK(spec.memory_bytes == 512LL << 20);
    CHECK(spec.pids == 128);
    CHECK_FALSE(spec.cpus.has_value());
    CHECK(spec.oci_runtime.empty());
    CHECK(rlimits_of(spec) == std::map<std::string, std::int64_t>{{"nofile", 1024},
                                                                  {"nproc", 32768},
                                                                  {"msgqueue", 65536},
                                                                  {"sigpending", 1024},
                                                                  {"memlock", 65536},
                                                                  {"rtprio", 0},
                                                                  {"nice", 0}});
    std::map<std::string, std::int64_t> writable;
    for (const auto& mount : spec.tmpfs) writable[mount.at] = mount.size_bytes >> 20;
    CHECK(writable ==
          std::map<std::string, std::int64_t>{{"/tmp", 64}, {"/workspace", 128}, {"/dev/shm", 64}});
}

TEST_CASE("to_spec: what a user chose goes in, and nothing else changes") {
    Confinement chosen{.image = "i",
                       .memory_bytes = 64LL << 20,
                       .pids = 16,
                       .cpus = 0.5,
                       .user = "1000:7",
                       .oci_runtime = "crun"};
    const auto spec = spec_of(chosen), usual = spec_of({.image = "i"});
    CHECK(spec.memory_bytes == 64LL << 20);
    CHECK(spec.pids == 16);
    CHECK(spec.cpus == 0.5);
    CHECK(spec.user == "1000:7");
    CHECK(spec.oci_runtime == "crun");
    CHECK(spec.env == usual.env);
    CHECK(spec.command == usual.command);
    CHECK(rlimits_of(spec) == rlimits_of(usual));
    CHECK(spec.tmpfs.size() == usual.tmpfs.size());
}

TEST_CASE("to_spec: where the engine may not set the usual limits, lower ones are sent, never none") {
    const auto usual = rlimits_of(spec_of({.image = "i"})),
               lower = rlimits_of(spec_of({.image = "i", .low_rlimits = true}));
    CHECK(lower.size() == usual.size());
    for (const auto& [name, value] : lower) CHECK(value <= usual.at(name));
    CHECK(lower.at("nofile") < usual.at("nofile"));
}

TEST_CASE("to_spec: Python starts isolated, with the loader as its last argument") {
    const auto spec = spec_of({.image = "i"});
    REQUIRE(spec.command.size() >= 3);
    CHECK(spec.command.front() == "python3");
    CHECK(spec.command.back() == "LOADER");
    CHECK(spec.command[spec.command.size() - 2] == "-c");
    for (const char* flag : {"-I", "-u", "-B"})
        CHECK(std::count(spec.command.begin(), spec.command.end(), flag) == 1);
}

TEST_CASE("to_spec: the environment is ours alone") {
    ::setenv("CORDON_TEST_SECRET", "secret", 1);
    const auto spec = spec_of({.image = "i"});
    ::unsetenv("CORDON_TEST_SECRET");
    for (const auto& [name, value] : spec.env) {
        CAPTURE(name);
        CHECK(value.find("secret") == std::string::npos);
        CHECK(name.find("proxy") == std::string::npos);
        CHECK(name.find("PROXY") == std::string::npos);
        CHECK_FALSE(name.starts_with("LD_"));
        CHECK_FALSE(name.starts_with("PYTHON"));
    }
    CHECK(spec.env.at("HOME") == "/workspace");
}

TEST_CASE("is_rlimit_failure: engines' words for it, and no others") {
    CHECK(sandbox::is_rlimit_failure(
        "OCI runtime error: crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted"));
    CHECK(sandbox::is_rlimit_failure("error setting rlimits for process"));
    CHECK_FALSE(sandbox::is_rlimit_failure("no such image: python"));
    CHECK_FALSE(sandbox::is_rlimit_failure(""));
}

TEST_CASE("to_spec: the supervisor's python3 is looked for in the usual places first, then in the image's") {
    const auto path_with = [](std::string_view image_path) {
        return sandbox::to_spec({.image = "i"}, "n", {}, "L", image_path).env.at("PATH");
    };
    const std::string usual = "/usr/local/bin:/usr/bin:/bin";
    CHECK(path_with("") == usual);
    CHECK(path_with("/usr/bin:/bin:/usr/local/bin") == usual);
    CHECK(path_with("/opt/venv/bin:/usr/local/sbin:/usr/bin:/bin") ==
          usual + ":/opt/venv/bin:/usr/local/sbin");
    CHECK(path_with("/a:/a::.:bin:/b:") == usual + ":/a:/b");
}
