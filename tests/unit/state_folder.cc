#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cli/app.h"
#include "tests/unit/discovery_machine.h"

using cli::state_folder;

TEST_CASE("state_folder: the setting, else XDG_STATE_HOME, else the home") {
    config::Settings settings;
    std::map<std::string, std::string> environment{{"HOME", "/home/me"}, {"XDG_STATE_HOME", "relative"}};
    CHECK(state_folder(settings, environment) == "/home/me/.local/state/cordon");
    environment["XDG_STATE_HOME"] = "/state";
    CHECK(state_folder(settings, environment) == "/state/cordon");
    settings.state_dir = "/set";
    CHECK(state_folder(settings, environment) == "/set");
}

TEST_CASE("state_folder: without a home, one for us alone; what another could have made is refused") {
    const Machine machine;
    const std::map<std::string, std::string> environment{{"TMPDIR", machine.at("")}};
    const std::string path = machine.at("/cordon-" + std::to_string(::getuid()));
    CHECK(state_folder(config::Settings(), environment) == path);
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0700);
    CHECK(state_folder(config::Settings(), environment) == path); // the second time it is there

    ::chmod(path.c_str(), 0777);
    CHECK_THROWS_AS(state_folder(config::Settings(), environment), config::Error);
    std::filesystem::rename(path, machine.at("/elsewhere"));
    ::chmod(machine.at("/elsewhere").c_str(), 0700);
    std::filesystem::create_directory_symlink(machine.at("/elsewhere"), path);
    CHECK_THROWS_AS(state_folder(config::Settings(), environment), config::Error);
}
