#include "src/engines/stored_login.h"

#include <doctest/doctest.h>

#include "discovery_machine.h"
#include "run.h"
#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/engines/find_login.h"

using engines::stored_login;
using engines::StoredLogin;

namespace {

/// {"auths":{"KEY":{"auth":…}}}
std::string file_for(const std::string& key, const std::string& pair) {
    return R"({"auths":{")" + key + R"(":{"auth":")" + base::base64(pair) + R"("}}})";
}

} // namespace

TEST_CASE("stored_login: the entry of the repository, of the folder above it, of the registry") {
    const std::string text = R"({"auths":{
        "quay.io":{"auth":"YTox"},"quay.io/team":{"auth":"Yjox"},"quay.io/team/app":{"auth":"Yzox"},
        "https://registry.example/v2/":{"username":"d","password":"p"},"h:5000":{"auth":"ZToxOjI="}}})";
    CHECK(stored_login(text, "quay.io/team/app").auth.username == "c");
    CHECK(stored_login(text, "quay.io/team/application").auth.username == "b");
    CHECK(stored_login(text, "quay.io/teams/app").auth.username == "a");
    CHECK(stored_login(text, "registry.example/x").auth.username == "d");
    CHECK(stored_login(text, "h:5000/x").auth.password == "1:2"); // from the first colon on
    CHECK(stored_login(text, "h:5000/x").auth.server == "h:5000");
    CHECK(stored_login(text, "h:5001/x").auth.username.empty());
    CHECK(stored_login(text, "quay.io.evil.example/x").auth.username.empty());
}

TEST_CASE("stored_login: all names of Docker's registry are one") {
    for (const char* key :
         {"https://index.docker.io/v1/", "docker.io", "index.docker.io", "registry-1.docker.io"}) {
        CAPTURE(key);
        const StoredLogin found = stored_login(file_for(key, "u:p"), "docker.io/library/python");
        CHECK(found.auth.username == "u");
        CHECK(found.auth.server == "docker.io");
        CHECK(found.helper_keys.at(0) == "https://index.docker.io/v1/");
    }
}

TEST_CASE("stored_login: tokens, padding, helpers") {
    CHECK(stored_login(R"({"auths":{"h.x":{"identitytoken":"t"}}})", "h.x/a").auth.identity_token == "t");
    CHECK(stored_login(file_for("h.x", "<token>:t"), "h.x/a").auth.identity_token == "t");
    CHECK(stored_login(file_for("h.x", std::string("u:p\0\0", 5)), "h.x/a").auth.password == "p");
    const std::string helpers = R"({"credsStore":"all","credHelpers":{"h.x":"own"},"auths":{"h.x":{}}})";
    CHECK(stored_login(helpers, "h.x/a").helper == "own");
    CHECK(stored_login(helpers, "other.x/a").helper == "all");
    CHECK(stored_login(helpers, "h.x/a").auth.username.empty());
    CHECK(engines::helper_login(R"({"Username":"u","Secret":"s"})", "h").password == "s");
    CHECK(engines::helper_login(R"({"Username":"<token>","Secret":"s"})", "h").identity_token == "s");
    CHECK_THROWS_AS(engines::helper_login(R"({"Username":"u"})", "h"), json::Error);
    for (const char* good : {"pass", "osxkeychain", "ecr-login", "a.b_c"})
        CHECK(engines::good_helper_name(good));
    for (const char* bad : {"", "../x", "a/b", "a b", "a;b"}) CHECK(!engines::good_helper_name(bad));
}

TEST_CASE("stored_login: what cannot be read is an error that does not repeat it") {
    for (const char* bad :
         {"", "[]", R"({"auths":{"h.x":{"auth":"se cret"}}})", R"({"auths":{"h.x":{"auth":"c2VjcmV0"}}})"}) {
        CAPTURE(bad);
        try {
            stored_login(bad, "h.x/a");
            FAIL("no error");
        } catch (const json::Error& e) {
            CHECK(std::string(e.what()).find("ecret") == std::string::npos);
        }
    }
}

TEST_CASE("find_login: the first file with a login for that registry, and what could not be read is told") {
    boost::asio::io_context loop;
    Machine machine;
    const auto found = [&] { return run(loop, engines::find_login(machine.around, "h.x/a:1")); };
    CHECK(found().source.empty());
    const std::string docker = machine.file("/home/.docker/config.json", file_for("h.x", "docker:p"));
    CHECK(found().source == docker);
    const std::string own = machine.file("/home/.config/containers/auth.json", file_for("other.x", "o:p"));
    CHECK(found().source == docker); // it has none for this registry
    machine.file("/home/.config/containers/auth.json", file_for("h.x", "podman:p"));
    CHECK(found().auth.username == "podman");
    const std::string shared = machine.file("/run/containers/1000/auth.json", file_for("h.x", "run:p"));
    CHECK(found().source == shared);
    machine.set("XDG_RUNTIME_DIR", machine.at("/run/mine"));
    machine.file("/run/mine/containers/auth.json", "{");
    const engines::Login login = found();
    CHECK(login.source == shared);
    REQUIRE(login.troubles.size() == 1);
    CHECK(login.troubles[0].find("/run/mine/containers/auth.json: ") != std::string::npos);
    machine.set("REGISTRY_AUTH_FILE", machine.at("/none.json"));
    CHECK(found().source.empty());
    CHECK(found().troubles.at(0) == "REGISTRY_AUTH_FILE: no such file: " + machine.at("/none.json"));
    machine.around.environment.clear();
    machine.set("DOCKER_CONFIG", machine.at("/elsewhere"));
    std::filesystem::remove_all(machine.at("/home/.config"));
    std::filesystem::remove_all(machine.at("/run"));
    CHECK(found().source.empty());
    machine.file("/elsewhere/config.json", file_for("h.x", "moved:p"));
    CHECK(found().auth.username == "moved");
}

TEST_CASE("find_podman_login: a short name may lead anywhere, so that all logins are found, once each") {
    boost::asio::io_context loop;
    Machine machine;
    machine.file(
        "/home/.config/containers/auth.json",
        R"({"auths":{"docker.io":{"auth":"dTpw"},"h.x":{"auth":"YTpw"},"h.x/team":{"auth":"Yjpw"},"e":{}}})");
    machine.file("/home/.docker/config.json", file_for("h.x", "second:p"));
    const auto found = [&](const char* name) {
        return run(loop, engines::find_podman_login(machine.around, name));
    };
    const engines::Login login = found("small:1");
    CHECK(login.auth.username == "u");
    REQUIRE(login.others.size() == 2);
    CHECK(login.others[0].server == "h.x");
    CHECK(login.others[0].username == "a");
    CHECK(login.others[1].server == "h.x/team");
    CHECK(login.others[1].username == "b");
    CHECK(found("h.x/a").others.empty()); // it says itself which one it wants
}
