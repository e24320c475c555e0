#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime_api/error.h"
#include "runtime_api/pull_progress.h"
#include "src/base/base64.h"

using runtime_api::Dialect;
using runtime_api::Errc;
using runtime_api::Error;
using runtime_api::PullProgress;
using runtime_api::PullReader;

namespace {

struct Outcome {
    std::vector<PullProgress> progress;
    std::string error;
    Errc code = Errc::cancelled;
};

Outcome read(Dialect dialect, const std::string& wire, std::size_t step) {
    Outcome out;
    PullReader reader(dialect, [&](const PullProgress& progress) { out.progress.push_back(progress); });
    try {
        for (std::size_t i = 0; i < wire.size(); i += step)
            reader.feed(std::string_view(wire).substr(i, step));
        reader.finish("pull image x");
    } catch (const Error& e) {
        out.error = e.what();
        out.code = e.code();
    }
    return out;
}

} // namespace

TEST_CASE("PullReader: podman's lines in any split; the line with an id is success") {
    const std::string wire = "{\"stream\":\"Trying to pull x:v1...\\n\"}\n{\"stream\":\"Copying blob "
                             "sha256:f8\\n\"}\r\n\n{\"images\":[\"70\"],\"id\":\"70\"}\n";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        CAPTURE(step);
        const Outcome out = read(Dialect::libpod, wire, step);
        CHECK(out.error.empty());
        REQUIRE(out.progress.size() == 2);
        CHECK(out.progress[0].status == "Trying to pull x:v1...");
        CHECK(!out.progress[0].total);
    }
    const Outcome cut = read(Dialect::libpod, "{\"stream\":\"Trying\"}\n", 1000);
    CHECK(cut.code == Errc::protocol);
}

TEST_CASE("PullReader: a failure under HTTP 200 is one, with the registry's words") {
    struct Case {
        Dialect dialect;
        const char* wire;
        Errc code;
        const char* words;
    };
    const Case table[] = {
        {Dialect::libpod, R"({"error":"initializing source docker://x: manifest unknown"})", Errc::not_found,
         "manifest unknown"},
        {Dialect::libpod, R"({"error":"unauthorized: access to the requested resource is not authorized"})",
         Errc::rejected, "unauthorized"},
        {Dialect::libpod, "{\"error\":\"Unauthorized\"}\n{\"id\":\"x\"}\n", Errc::rejected,
         "Unauthorized"}, // an id after it does not heal it
        {Dialect::docker, R"({"errorDetail":{"message":"toomanyrequests"},"error":"old"})",
         Errc::engine_fault, "toomanyrequests"},
        {Dialect::docker, R"({"errorDetail":{"code":7},"error":"old"})", Errc::engine_fault, "old"},
        {Dialect::docker, R"({"progressDetail":{},"error":"denied: requested access"})", Errc::rejected,
         "denied"},
    };
    for (const Case& each : table) {
        CAPTURE(each.wire);
        const Outcome out = read(each.dialect, each.wire, 7);
        CHECK(out.code == each.code);
        CHECK(out.error == "pull image x: " + out.error.substr(14));
        CHECK(out.error.find(each.words) != std::string::npos);
    }
}

TEST_CASE("PullReader: Docker's layers are counted together, each byte once") {
    const Outcome out = read(Dialect::docker,
                             R"({"status":"Pulling from x","id":"v1"}
{"status":"Downloading","progressDetail":{"current":10,"total":100},"progress":"[> ]","id":"a"}
{"status":"Downloading","progressDetail":{"current":50,"total":200},"id":"b"}
{"status":"Downloading","progressDetail":{"current":900,"total":100},"id":"a"}
{"status":"Download complete","progressDetail":{},"id":"b"}
{"status":"Extracting","progressDetail":{"current":1,"total":200},"id":"b"}
{"status":"Status: Downloaded newer image for x"}
)",
                             5);
    CHECK(out.error.empty());
    REQUIRE(out.progress.size() == 7);
    CHECK(out.progress[0].status == "Pulling from x v1");
    CHECK(!out.progress[0].done);
    CHECK(*out.progress[1].done == 10);
    CHECK(*out.progress[2].done == 60);
    CHECK(*out.progress[2].total == 300);
    CHECK(*out.progress[3].done == 150); // more than the total is not believed
    CHECK(*out.progress[4].done == 300);
    CHECK(*out.progress[5].done == 300);
    CHECK(*out.progress[6].total == 300);
}

TEST_CASE("PullReader: lines have a bound, and what is no object is refused") {
    const std::string frame = R"({"stream":""})";
    const std::string fits =
        R"({"stream":")" + std::string(PullReader::max_line - frame.size(), 'x') + R"("})";
    REQUIRE(fits.size() == PullReader::max_line);
    const Outcome held = read(Dialect::docker, fits + "\n", 10'000);
    CHECK(held.error.empty());
    CHECK(held.progress.at(0).status.size() < 300);
    CHECK(read(Dialect::docker, fits + " \n", 10'000).code == Errc::too_large);
    CHECK(read(Dialect::docker, std::string(10 << 20, 'x'), 10'000).code == Errc::too_large);
    for (const char* bad : {"x\n", "[]\n", "{\"status\":\n", "7"}) {
        CAPTURE(bad);
        CHECK(read(Dialect::docker, bad, 100).code == Errc::protocol);
    }
    CHECK(read(Dialect::docker, R"({"status":7,"id":[],"progressDetail":{"current":"x","total":-5}})", 100)
              .error.empty());
    CHECK(read(Dialect::docker, R"({"status":"a\u001b[2J\nb"})", 100).progress.at(0).status == "a [2J b");
}

TEST_CASE("registry_auth_headers: base64url of JSON, and nothing without credentials") {
    for (const Dialect dialect : {Dialect::libpod, Dialect::docker})
        CHECK(runtime_api::registry_auth_headers(dialect, {}).empty());
    runtime_api::RegistryAuth auth;
    auth.username = "u";
    auth.password = "?\?>";
    CHECK(runtime_api::registry_auth_headers(Dialect::docker, {auth}).at(0) ==
          "X-Registry-Auth: eyJ1c2VybmFtZSI6InUiLCJwYXNzd29yZCI6Ij8_PiJ9");
    auth = {};
    auth.identity_token = "t";
    CHECK(runtime_api::registry_auth_headers(Dialect::docker, {auth}).at(0) ==
          "X-Registry-Auth: eyJpZGVudGl0eXRva2VuIjoidCJ9");
    CHECK(runtime_api::registry_auth_headers(Dialect::libpod, {auth}).at(0) ==
          "X-Registry-Auth: eyJpZGVudGl0eXRva2VuIjoidCJ9"); // podman would lose it in a map
    auth = {"u", "p", "", "h:1"};
    CHECK(runtime_api::registry_auth_headers(Dialect::libpod, {auth}).at(0) ==
          "X-Registry-Auth: " +
              base::base64url(R"({"h:1":{"username":"u","password":"p","serveraddress":"h:1"}})"));
}

TEST_CASE("registry_auth_headers: of several logins podman gets all that it can read, Docker the first") {
    const std::vector<runtime_api::RegistryAuth> logins = {
        {}, {"u", "p", "", "h:1"}, {"", "", "t", "lost"}, {"v", "q", "", "g/team"}};
    CHECK(runtime_api::registry_auth_headers(Dialect::docker, logins).empty());
    CHECK(runtime_api::registry_auth_headers(Dialect::libpod, logins).at(0) ==
          "X-Registry-Auth: " +
              base::base64url(R"({"h:1":{"username":"u","password":"p","serveraddress":"h:1"},)"
                              R"("g/team":{"username":"v","password":"q","serveraddress":"g/team"}})"));
}
