#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <memory>

#include "runtime_api/socket_listener.h"
#include "src/engines/discovery.h"
#include "tests/unit/discovery_machine.h"
#include "tests/unit/fake_podman.h"
#include "tests/unit/run.h"

using engines::Found;
using engines::NoEngine;
using engines::SearchOptions;
using runtime_api::Endpoint;
using runtime_api::EngineInfo;

namespace {

std::string info(bool rootless, const std::string& system = "debian") {
    return R"({"host":{"distribution":{"distribution":")" + system + R"("},"security":{"rootless":)" +
           (rootless ? "true" : "false") + R"(}},"version":{"Version":"4.3.1"}})";
}

std::string failure(const Machine& machine, const SearchOptions& options = {}) {
    try {
        boost::asio::io_context loop;
        run(loop, find_engine(machine.around, options));
    } catch (const NoEngine& e) {
        return e.what();
    }
    return "an engine was found";
}

} // namespace

TEST_CASE("find_engine: takes the first that answers, and tells of every other why it was not taken") {
    Machine machine;
    machine.dead_socket("/run/user/1000/podman/podman.sock");
    const FakePodman podman(machine.listen("/run/user/1000/podman/x-api.sock"), info(true));
    const FakePodman system(machine.listen("/run/podman/podman.sock"), info(false));
    boost::asio::io_context loop; // the engine found must go first
    const Found found = run(loop, find_engine(machine.around, SearchOptions()));
    CHECK(found.candidate.source == "the podman machine");
    CHECK(found.info.version == "4.3.1");
    CHECK(found.engine->dialect() == runtime_api::Dialect::libpod);
    CHECK(found.tried.size() == machine.search().size());
    CHECK(found.tried[0].outcome.ends_with(": Connection refused"));
    CHECK(found.tried[1].outcome == "no such file");
    CHECK(found.tried[2].taken);
    CHECK(found.tried[2].outcome == "podman 4.3.1, rootless");
    CHECK(found.tried.back().outcome == "not tried: the podman machine was taken");
}

TEST_CASE("find_engine: an engine of the other kind than was asked for is an error, also at a socket that "
          "was named") {
    Machine machine;
    const FakePodman podman(machine.listen("/run/user/1000/podman/podman.sock"), info(true));
    SearchOptions options;
    options.socket_url = "unix://" + machine.around.root + "/run/user/1000/podman/podman.sock";
    options.runtime = "docker";
    for (const bool hasty : {false, true}) {
        options.hasty = hasty;
        CHECK(failure(machine, options).find("podman answers there, and --runtime docker") !=
              std::string::npos);
    }
    options.runtime = "podman";
    CHECK(failure(machine, options) == "an engine was found");
}

TEST_CASE("find_engine: a rootful engine is passed over and named, unless it is allowed") {
    Machine machine;
    const FakePodman system(machine.listen("/run/podman/podman.sock"), info(false));
    CHECK(failure(machine).find(
              "/run/podman/podman.sock: podman 4.3.1, rootful: passed over (--allow-rootful takes it)") !=
          std::string::npos);
    SearchOptions options;
    options.allow_rootful = true;
    boost::asio::io_context loop; // the engine found must go first
    const Found found = run(loop, find_engine(machine.around, options));
    CHECK(found.candidate.system_rootful);
}

TEST_CASE(
    "find_engine: in haste, one whose description cannot matter is returned without it, and judged then") {
    Machine machine;
    const FakePodman system(machine.listen("/run/podman/podman.sock"), info(false));
    SearchOptions options;
    options.hasty = true;
    CHECK(failure(machine, options).find("rootful: passed over") != std::string::npos); // it might be root's
    options.allow_rootful = true;
    boost::asio::io_context loop; // the engine found must go first
    const auto found = std::make_shared<const Found>(run(loop, find_engine(machine.around, options)));
    CHECK_FALSE(found->described);
    CHECK(found->info.version.empty());
    CHECK(run(loop, describe_engine(found, options)).version == "4.3.1");
    options.allow_rootful = false;
    CHECK_THROWS_WITH_AS(run(loop, describe_engine(found, options)),
                         doctest::Contains("podman 4.3.1, rootful: passed over"), NoEngine);
}

TEST_CASE("own_user_listens: where it was so when the listening began, and never for root") {
    Machine machine;
    machine.listen("/s");
    const bool root = ::geteuid() == 0;
    CHECK(runtime_api::own_user_listens(machine.at("/s")) == !root);
    CHECK_FALSE(runtime_api::own_user_listens(machine.dead_socket("/dead")));
    CHECK_FALSE(runtime_api::own_user_listens(machine.at("/none")));
    CHECK_FALSE(runtime_api::own_user_listens(std::string(200, 'x')));
    if (!root) return;
    std::filesystem::permissions(machine.at("/"), std::filesystem::perms::all);
    REQUIRE(::seteuid(1000) == 0);
    const bool of_root = runtime_api::own_user_listens(machine.at("/s"));
    machine.listen("/own");
    const bool of_own = runtime_api::own_user_listens(machine.at("/own"));
    REQUIRE(::seteuid(0) == 0);
    CHECK_FALSE(of_root);
    CHECK(of_own);
}

TEST_CASE("find_engine: an engine that does not say whether it is rootless counts as rootful") {
    Machine machine;
    const FakePodman silent(machine.listen("/run/user/1000/podman/podman.sock"),
                            R"({"host":{},"version":{"Version":"4.3.1"}})");
    CHECK(failure(machine).find("does not say whether it is rootless: passed over") != std::string::npos);
}

TEST_CASE("find_engine: a rootful engine in a VM of its own is taken") {
    Machine machine;
    const FakePodman desktop(machine.listen("/home/.docker/desktop/docker.sock"),
                             info(false, "Docker Desktop"));
    boost::asio::io_context loop; // the engine found must go first
    const Found found = run(loop, find_engine(machine.around, SearchOptions()));
    CHECK(found.candidate.source == "Docker Desktop");
    CHECK(found.tried[3].outcome ==
          "podman 4.3.1, rootful in a VM of its own (it says it is Docker Desktop)");
}

TEST_CASE("find_engine: what is set is taken or is an error, and nothing else is tried or told at length") {
    Machine machine;
    machine.set("DOCKER_HOST", "unix://" + machine.at("/none.sock"));
    const FakePodman podman(machine.listen("/run/user/1000/podman/podman.sock"), info(true));
    const std::string message = failure(machine);
    CHECK(message.find("DOCKER_HOST unix://" + machine.at("/none.sock") + ": ") != std::string::npos);
    CHECK(
        message.find(
            "\n  the usual places: not tried: DOCKER_HOST is set, and what is set is used or is an error") !=
        std::string::npos);
    CHECK(message.find("podman.sock") == std::string::npos); // not each by its name
    machine.set("DOCKER_HOST", "");
    machine.set("CONTAINER_HOST", "nonsense");
    CHECK(failure(machine).find("CONTAINER_HOST nonsense: engine URL \"nonsense\": it has no scheme") !=
          std::string::npos);
}

TEST_CASE("find_engine: plain tcp to another host is refused unless it is allowed") {
    Machine machine;
    machine.set("DOCKER_HOST", "tcp://192.0.2.1:2375");
    CHECK(failure(machine).find("plain tcp to another host: refused") != std::string::npos);
    machine.set("DOCKER_HOST", "tcp://127.0.0.1:1"); // nobody listens there
    CHECK(failure(machine).find("plain tcp") == std::string::npos);
}

TEST_CASE("find_engine: a socket that systemd could start is named with its command") {
    Machine machine;
    machine.file("/usr/lib/systemd/user/podman.socket", "");
    machine.file("/run/systemd/system/x", "");
    machine.file("/run/user/1000/x", "");
    CHECK(failure(machine).find(
              "podman.sock: no such file\n    -> systemctl --user enable --now podman.socket") !=
          std::string::npos);
}

TEST_CASE("runs_in_vm: by what the engine says, by its socket, and not by the name of a far host") {
    std::string why;
    const auto at = [](const std::string& url) { return runtime_api::parse_endpoint(url); };
    EngineInfo engine;
    engine.operating_system = "Debian GNU/Linux 12 (bookworm)";
    CHECK_FALSE(engines::runs_in_vm(engine, at("unix:///var/run/docker.sock"), why));
    CHECK(engines::runs_in_vm(engine, at("unix:///home/u/.colima/default/docker.sock"), why));
    CHECK(why == "its socket is Colima's");
    CHECK(engines::runs_in_vm(engine, at("unix:///run/user/1/podman/m-api.sock"), why));
    CHECK_FALSE(engines::runs_in_vm(engine, at("unix:///run/my-api.sock"), why));
    engine.name = "colima";
    CHECK(engines::runs_in_vm(engine, at("unix:///x.sock"), why));
    CHECK_FALSE(engines::runs_in_vm(engine, at("tcp://192.0.2.1:2375"), why));
    engine.name.clear();
    engine.kernel = "6.6.12-linuxkit";
    CHECK(engines::runs_in_vm(engine, at("unix:///x.sock"), why));
    engine = EngineInfo();
    engine.operating_system = "Docker Desktop";
    CHECK(engines::runs_in_vm(engine, at("tcp://192.0.2.1:2375"), why));
}
