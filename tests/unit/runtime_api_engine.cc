#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "fake_http.h"
#include "run.h"
#include "runtime_api/docker_engine.h"
#include "runtime_api/engine_detect.h"
#include "runtime_api/error.h"
#include "runtime_api/libpod_engine.h"
#include "runtime_api/libpod_json.h"

namespace asio = boost::asio;
using runtime_api::Errc;
using runtime_api::Error;

namespace {

/// An engine of each dialect over one script.
struct Fixture {
    asio::io_context loop{1};
    std::shared_ptr<HttpScript> script = std::make_shared<HttpScript>();
    runtime_api::Timeouts timeouts{};
    std::unique_ptr<runtime_api::Engine> libpod;
    std::unique_ptr<runtime_api::Engine> docker;

    explicit Fixture(runtime_api::Timeouts t = {}) : timeouts(t) {
        libpod = std::make_unique<runtime_api::LibpodEngine>(std::make_unique<FakeHttp>(script), timeouts);
        docker =
            std::make_unique<runtime_api::DockerEngine>(std::make_unique<FakeHttp>(script), "1.44", timeouts);
    }
};

asio::awaitable<bool> done(asio::awaitable<void> work) {
    co_await std::move(work);
    co_return true;
}

template <class T> Errc code_of(asio::io_context& loop, asio::awaitable<T> work) {
    try {
        run(loop, std::move(work));
    } catch (const Error& e) {
        return e.code();
    }
    FAIL("no error");
    return Errc::cancelled;
}

const std::string pod = "/v4.0.0/libpod";
const std::string remove_query = "?force=true&v=true&timeout=0";

runtime_api::ContainerSpec small_spec() {
    runtime_api::ContainerSpec spec;
    spec.name = "abc";
    spec.image = "i";
    spec.command = {"x"};
    return spec;
}

} // namespace

TEST_CASE("engines: each method is one request, to the right place") {
    Fixture f;
    f.script->answer("POST " + pod + "/containers/create", 201, R"({"Id":"1","Warnings":["w"]})");
    f.script->answer("POST /v1.44/containers/create?name=abc", 201, R"({"Id":"1","Warnings":null})");
    f.script->answer("GET /v1.44/images/i/json", 200, R"({"Config":{"Volumes":{"/data":{}}}})");
    CHECK(run(f.loop, f.libpod->create(small_spec())).warnings.at(0) == "w");
    CHECK(run(f.loop, f.docker->create(small_spec())).id == "1");
    CHECK(f.script->requests.back().body.find(R"("Target":"/data")") != std::string::npos);
    for (const std::string& prefix : {pod, std::string("/v1.44")}) {
        runtime_api::Engine& engine = prefix == pod ? *f.libpod : *f.docker;
        f.script->answer("POST " + prefix + "/containers/abc/start", 204);
        f.script->answer("POST " + prefix + "/containers/abc/kill?signal=KILL", 204);
        f.script->answer("DELETE " + prefix + "/containers/abc" + remove_query, 200, "[]");
        f.script->answer("GET " + prefix + "/containers/abc/json", 404, "{}");
        f.script->answer("GET " + prefix +
                             "/containers/json?all=true&filters=%7B%22label%22%3A%5B%22k%3Dv%22%5D%7D",
                         200, "[]");
        CHECK(run(f.loop, done(engine.start("abc"))));
        CHECK(run(f.loop, done(engine.kill("abc"))));
        CHECK(run(f.loop, done(engine.remove("abc"))));
        CHECK(!run(f.loop, engine.inspect("abc")));
        CHECK(run(f.loop, engine.list("k=v")).empty());
    }
    f.script->answer("POST " + pod + "/containers/abc/wait?interval=20ms", 200, "7\n");
    f.script->answer("POST /v1.44/containers/abc/wait", 200, R"({"StatusCode":7})");
    CHECK(run(f.loop, f.libpod->wait("abc", std::chrono::seconds(1))) == 7);
    CHECK(run(f.loop, f.docker->wait("abc", std::chrono::seconds(1))) == 7);
    f.script->answer("GET " + pod + "/images/h/i%3At/json", 200,
                     R"({"Id":"1","Labels":{"a":"b"},"Config":{"Env":["A=x=y","=","none","B="]}})");
    f.script->answer("GET " + pod + "/images/h/i%3At/json", 200, R"({"Id":"1","Config":{"Env":null}})");
    f.script->answer("GET /v1.44/images/h/i%3At/json", 404, "{}");
    const auto image = run(f.loop, f.libpod->image("h/i:t"));
    CHECK(image->labels.at("a") == "b");
    CHECK(image->environment == std::map<std::string, std::string>{{"A", "x=y"}, {"B", ""}});
    CHECK(run(f.loop, f.libpod->image("h/i:t"))->environment.empty());
    CHECK(!run(f.loop, f.docker->image("h/i:t")));
}

TEST_CASE("engines: a name cannot leave its place in the path") {
    Fixture f;
    f.script->answer("POST " + pod + "/containers/..%2Fimages%3Fx%23/start", 204);
    CHECK(run(f.loop, done(f.libpod->start("../images?x#"))));
}

TEST_CASE("create: errors by what a caller can do") {
    Fixture f;
    const std::string key = "POST " + pod + "/containers/create";
    f.script->answer(key, 500, R"({"message":"x: image not known"})");
    f.script->answer(key, 500, R"({"message":"that name is already in use"})");
    f.script->answer(key, 201, "not JSON");
    f.script->answer(key, 201, R"({"Warnings":[]})");
    for (const Errc expected : {Errc::not_found, Errc::conflict, Errc::protocol, Errc::protocol})
        CHECK(code_of(f.loop, f.libpod->create(small_spec())) == expected);
    f.script->failures[key] = Errc::timed_out;
    CHECK_THROWS_WITH_AS(run(f.loop, f.libpod->create(small_spec())), "create container abc: scripted",
                         Error);
    runtime_api::ContainerSpec unlimited = small_spec();
    unlimited.memory_bytes = 0;
    const std::size_t asked = f.script->asked.size();
    CHECK(code_of(f.loop, f.libpod->create(unlimited)) == Errc::rejected);
    CHECK(f.script->asked.size() == asked); // the engine never heard of it
}

TEST_CASE("kill: one that is dead or gone is not an error; a fault is") {
    Fixture f;
    const std::string key = "POST " + pod + "/containers/abc/kill?signal=KILL";
    f.script->answer(key, 404, R"({"message":"no such container"})");
    f.script->answer(key, 409, R"({"message":"is not running"})");
    f.script->answer(
        key, 500,
        R"({"message":"can only kill running containers. 8 is in state exited: container state improper"})");
    f.script->answer(key, 500, R"({"message":"no space left"})");
    for (int i = 0; i < 3; ++i) CHECK(run(f.loop, done(f.libpod->kill("abc"))));
    CHECK(code_of(f.loop, done(f.libpod->kill("abc"))) == Errc::engine_fault);
}

TEST_CASE("remove: waits out what passes by itself") {
    Fixture f;
    const std::string key = "DELETE /v1.44/containers/abc" + remove_query;
    f.script->answer(key, 409, R"({"message":"removal of container abc is already in progress"})");
    f.script->answer(key, 500, R"({"message":"timed out waiting for file /exits/1"})");
    f.script->answer(key, 404, R"({"message":"No such container: abc"})");
    CHECK(run(f.loop, done(f.docker->remove("abc"))));
    CHECK(f.script->asked.size() == 3);
    CHECK(run(f.loop, done(f.docker->remove("abc")))); // again: gone already
    const std::string podman = "DELETE " + pod + "/containers/abc" + remove_query;
    f.script->answer(podman, 500,
                     R"({"message":"container 12 does not exist in database: no such container"})");
    CHECK(run(f.loop, done(f.libpod->remove("abc"))));
}

TEST_CASE("remove: says so when it does not pass, and does not ask again where that would not help") {
    runtime_api::Timeouts timeouts;
    timeouts.remove = std::chrono::milliseconds(150);
    Fixture f(timeouts);
    const std::string key = "DELETE " + pod + "/containers/abc" + remove_query;
    f.script->answer(key, 500, R"({"message":"device or resource busy"})");
    CHECK_THROWS_WITH_AS(run(f.loop, done(f.libpod->remove("abc"))), doctest::Contains("busy"), Error);
    f.script->answers.erase(key);
    f.script->answer(key, 400, R"({"message":"bad"})");
    const std::size_t asked = f.script->asked.size();
    CHECK(code_of(f.loop, done(f.libpod->remove("abc"))) == Errc::rejected);
    CHECK(f.script->asked.size() == asked + 1);
}

TEST_CASE("attach: a refusal carries the engine's words") {
    Fixture f;
    f.script->answer("POST /v1.44/containers/abc/attach?stream=1&stdin=1&stdout=1&stderr=1&detachKeys=", 404,
                     "No such container: abc");
    CHECK_THROWS_WITH_AS(run(f.loop, f.docker->attach("abc")),
                         "attach to container abc: HTTP 404: No such container: abc", Error);
}

TEST_CASE("pull: the reference, the credentials and the failure go where they belong") {
    Fixture f;
    f.script->answer("POST " + pod + "/images/pull?policy=always&reference=h%2Fi%3At", 200,
                     "{\"stream\":\"a\"}\n{\"id\":\"1\"}\n");
    f.script->answer("GET " + pod + "/images/h/i%3At/json", 200, R"({"Id":"1"})");
    f.script->answer("POST /v1.44/images/create?fromImage=h%2Fi&tag=t", 404,
                     R"({"message":"manifest for h/i:t not found"})");
    std::vector<std::string> seen;
    const runtime_api::PullSink sink = [&](const runtime_api::PullProgress& progress) {
        seen.push_back(progress.status);
    };
    std::vector<runtime_api::RegistryAuth> auth(1);
    auth[0].identity_token = "t";
    CHECK(run(f.loop, done(f.libpod->pull("h/i:t", sink, auth))));
    CHECK(seen == std::vector<std::string>{"a"});
    CHECK(f.script->requests[0].headers.size() == 1);
    CHECK(f.script->requests[0].limit.count() == 0);
    CHECK(f.script->requests[0].silence == f.timeouts.pull_blind);
    CHECK(code_of(f.loop, done(f.docker->pull("h/i:t", sink, auth))) == Errc::not_found);
    CHECK(f.script->requests.back().silence == f.timeouts.pull_silence);
}

TEST_CASE("pull: podman from 4.8 on is asked to count bytes, and what it ends without is no image") {
    Fixture f;
    const std::vector<runtime_api::RegistryAuth> none;
    runtime_api::LibpodEngine newer(std::make_unique<FakeHttp>(f.script), f.timeouts, "4.8.0");
    const std::string key =
        "POST " + pod + "/images/pull?policy=always&reference=h%2Fi%40sha256%3A1&compatMode=true";
    const std::string look = "GET " + pod + "/images/h/i%40sha256%3A1/json";
    f.script->answer(key, 200,
                     R"({"status":"Downloading","progressDetail":{"current":1,"total":2},"id":"a"})");
    f.script->answer(look, 200, R"({"Id":"1"})");
    f.script->answer(look, 404, "{}");
    std::int64_t total = 0;
    const runtime_api::PullSink sink = [&](const runtime_api::PullProgress& p) {
        total = p.total.value_or(0);
    };
    CHECK(run(f.loop, done(newer.pull("h/i:t@sha256:1", sink, none))));
    CHECK(total == 2);
    CHECK(f.script->requests[0].silence == f.timeouts.pull_retries);
    CHECK(code_of(f.loop, done(newer.pull("h/i:t@sha256:1", sink, none))) == Errc::protocol);
    f.script->answers[key] = {
        {500, {}, R"({"message":"Head https: unauthorized: authentication required"})"}};
    CHECK(code_of(f.loop, done(newer.pull("h/i:t@sha256:1", sink, none))) == Errc::rejected);
    f.script->failures[key] = Errc::timed_out;
    CHECK_THROWS_WITH_AS(run(f.loop, done(newer.pull("h/i@sha256:1", sink, none))),
                         doctest::Contains("nothing came for 150 s: the registry does not send"), Error);
}

TEST_CASE("counts_pulled_bytes: podman 4.8 and later") {
    for (const char* version : {"4.8.0", "4.9.3", "5.4.2", "6.0.0-dev", "10.0.1"})
        CHECK(runtime_api::libpod::counts_pulled_bytes(version));
    for (const char* version : {"", "4", "4.3.1", "4.7.9", "3.9.9", "x.9"})
        CHECK(!runtime_api::libpod::counts_pulled_bytes(version));
}

TEST_CASE("import_image: a file goes to the engine, with its command and labels") {
    Fixture f;
    runtime_api::ImageImport import;
    import.tar_file = "/t.tar";
    import.name = "localhost/x:1";
    import.command = {"python3"};
    import.labels["a"] = "b \"c\"";
    const std::string changes =
        "&changes=CMD%20%5B%22python3%22%5D&changes=LABEL%20a%3D%22b%20%5C%22c%5C%22%22";
    f.script->answer("POST " + pod + "/images/import?reference=localhost%2Fx%3A1" + changes, 200);
    f.script->answer("POST /v1.44/images/create?fromSrc=-&repo=localhost%2Fx&tag=1" + changes, 200);
    CHECK(run(f.loop, done(f.libpod->import_image(import))));
    CHECK(run(f.loop, done(f.docker->import_image(import))));
    CHECK(f.script->requests.back().body_file == "/t.tar");
}

TEST_CASE("detect_engine: libpod, Docker, or neither") {
    asio::io_context loop(1);
    const auto script = std::make_shared<HttpScript>();
    const auto detect = [&] {
        return runtime_api::detect_engine(std::make_unique<FakeHttp>(script), "unix:///x",
                                          runtime_api::Timeouts());
    };
    script->answers["GET /_ping"] = {{200, {{"api-version", "1.41"}, {"libpod-api-version", "4.3.1"}}, "OK"}};
    CHECK(run(loop, detect())->dialect() == runtime_api::Dialect::libpod);
    script->answers["GET /_ping"] = {{200, {{"api-version", "1.55"}}, "OK"}};
    script->answer("GET /version", 200, R"({"ApiVersion":"1.55","MinAPIVersion":"1.40"})");
    CHECK(run(loop, detect())->dialect() == runtime_api::Dialect::docker);
    script->answers["GET /version"] = {{200, {}, R"({"ApiVersion":"1.30","MinAPIVersion":"1.12"})"}};
    CHECK_THROWS_WITH_AS(run(loop, detect()), doctest::Contains("too old"), Error);
    script->answers["GET /_ping"] = {{200, {}, "hello"}};
    CHECK_THROWS_WITH_AS(run(loop, detect()), doctest::Contains("neither podman nor Docker"), Error);
    script->answers["GET /_ping"] = {{403, {}, "no"}};
    CHECK(code_of(loop, detect()) == Errc::rejected);
}
