// The client role over HTTP against tests/fakes/http_mini.py, a real server for each kind of misbehaviour.
#include <doctest/doctest.h>
#include <signal.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <memory>
#include <string>

#include "src/jsonrpc/child_process.h"
#include "src/mcp/client/client.h"
#include "src/mcp/client/outgoing.h"
#include "tests/unit/fakes_folder.h"
#include "tests/unit/run.h"

using namespace std::chrono_literals;
namespace asio = boost::asio;
using jsonrpc::Error;
using mcp::Client;
using mcp::ClientSpec;

namespace {

// The fake in one mode, and a client of it, not started yet.
struct World {
    explicit World(const std::string& mode, ClientSpec spec = {}, Client::Options options = {}) {
        ::signal(SIGPIPE, SIG_IGN);
        const std::filesystem::path script = fakes_folder() / "http_mini.py";
        const char* path = std::getenv("PATH");
        jsonrpc::Launch launch{{"python3", "-I", script.string(), mode},
                               {std::string("PATH=") + (path ? path : "/usr/bin:/bin"), "no_proxy=*"}};
        server = std::make_unique<jsonrpc::ChildProcess>(loop.get_executor(), launch,
                                                         jsonrpc::FdChannel::Options{});
        const auto line = run(loop, server->read());
        REQUIRE(line.has_value());
        spec.name = mode;
        spec.url = line->text;
        if (spec.transport == ClientSpec::Transport::stdio)
            spec.transport = ClientSpec::Transport::http_or_sse;
        client = std::make_unique<Client>(loop.get_executor(), spec, std::move(options));
    }

    void start() { run(loop, started()); }
    asio::awaitable<int> started() {
        co_await client->start();
        co_return 1;
    }

    std::string call(std::string arguments, mcp::CallOptions options = {}) {
        return run(loop, called(std::move(arguments), std::move(options)));
    }
    asio::awaitable<std::string> called(std::string arguments, mcp::CallOptions options) {
        const jsonrpc::Message answer =
            co_await client->call_tool("a", std::move(arguments), std::move(options));
        co_return std::string(answer.result());
    }

    void stop() {
        const auto body = [this]() -> asio::awaitable<int> {
            co_await client->stop(5s);
            co_return 1;
        };
        run(loop, body());
    }

    // What the server was asked, once it has been asked this.
    bool asked(const std::string& words) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (server->stderr_tail().find(words) == std::string::npos &&
               std::chrono::steady_clock::now() < end) {
            loop.restart();
            loop.run_one_for(50ms);
        }
        return server->stderr_tail().find(words) != std::string::npos;
    }

    int code_of_call() {
        try {
            call("{}");
        } catch (const Error& e) {
            return e.code();
        }
        return 0;
    }

    std::string start_failure() {
        try {
            start();
        } catch (const Error& e) {
            return e.what();
        }
        return "(started)";
    }

    asio::io_context loop;
    std::unique_ptr<jsonrpc::ChildProcess> server;
    std::unique_ptr<Client> client;
};

} // namespace

TEST_CASE("Client over HTTP: a session, from its start to its end") {
    World world("json");
    world.start();
    CHECK(world.client->facts().version == "2025-11-25");
    CHECK(world.client->transport() == "http");
    const std::string result = world.call(R"({"x":1})");
    CHECK(result.find(R"({\"x\": 1})") != std::string::npos);
    CHECK(result.find('\n') == std::string::npos); // it was pretty-printed, and lines are frames elsewhere
    CHECK(world.asked("POST /mcp tools/call session=s1 version=2025-11-25"));
    CHECK(world.asked("POST /mcp initialize session=- version=-"));
    world.stop();
    CHECK(world.asked("DELETE session=s1"));
}

TEST_CASE("Client over HTTP: answers that come as streams, whole or resumed") {
    SUBCASE("whole, after progress") {
        World world("sse");
        world.start();
        int told = 0;
        mcp::CallOptions options;
        options.on_progress = [&](double, std::optional<double>, const std::string&) { ++told; };
        CHECK(world.call(R"({"x":2})", options).find(R"({\"x\": 2})") != std::string::npos);
        CHECK(told == 1);
    }
    SUBCASE("broken off and gone on with, after the time that the server asked for") {
        World world("resume");
        world.start();
        CHECK(world.call(R"({"x":3})").find(R"({\"x\": 3})") != std::string::npos);
        CHECK(world.asked("GET /mcp last=e"));
    }
    SUBCASE("broken off for good") {
        World world("broken");
        CHECK(world.start_failure().find("ended its answer before it was complete") != std::string::npos);
    }
}

TEST_CASE("Client over HTTP: a lost session is replaced once, and the call is made again") {
    for (const char* mode : {"lost", "lost400"}) {
        CAPTURE(mode);
        World world(mode);
        world.start();
        CHECK(world.call(R"({"x":4})").find(R"({\"x\": 4})") != std::string::npos);
        CHECK(world.asked("tools/call session=s102"));
        CHECK(world.client->warnings().size() == 1);
    }
}

TEST_CASE("Client over HTTP: calls that find the session lost together share its replacement") {
    World world("lost");
    world.start();
    int good = 0;
    for (int i = 0; i < 10; ++i)
        asio::co_spawn(world.loop, world.called("{}", {}),
                       [&](std::exception_ptr e, const std::string&) { good += !e; });
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (good < 10 && std::chrono::steady_clock::now() < end) {
        world.loop.restart();
        world.loop.run_one_for(50ms);
    }
    CHECK(good == 10);
}

TEST_CASE("Client over HTTP: a redirect is followed to the same server only") {
    World moved("redirect");
    moved.start();
    CHECK(moved.call("{}").find("{}") != std::string::npos);
    CHECK(moved.asked("POST /mcp/ tools/call"));
    World away("away");
    CHECK(away.start_failure().find("HTTP 307") != std::string::npos);
}

TEST_CASE("Client over HTTP: 2026-07-28 has its headers, and a tool that asks for them wrongly is left out") {
    World world("modern");
    world.start();
    CHECK(world.client->facts().version == "2026-07-28");
    REQUIRE(world.client->tools().size() == 1);
    REQUIRE(world.client->warnings().size() == 1);
    CHECK(world.client->warnings()[0].starts_with(
        "tool \"bad\" is left out: x-mcp-header \"X\" is on something that is no string"));
    const std::string result = world.call(R"({"region":"Zürich"})");
    for (const char* each : {R"(\"mcp-method\": \"tools/call\")", R"(\"mcp-name\": \"a\")",
                             R"(\"mcp-protocol-version\": \"2026-07-28\")",
                             R"(\"mcp-param-region\": \"=?base64?WsO8cmljaA==?=\")"}) {
        CAPTURE(each);
        CHECK(result.find(each) != std::string::npos);
    }
    CHECK(world.call("{}").find("mcp-param-region") == std::string::npos);
}

TEST_CASE("Client over HTTP: headers that do not match are looked up again, once") {
    World world("mismatch");
    world.start();
    CHECK(world.call(R"({"region":"eu"})").find(R"(\"mcp-param-region\": \"eu\")") != std::string::npos);
}

TEST_CASE("Client over HTTP: a server of another time, another place or another opinion says so") {
    World newer("newer");
    CHECK(newer.start_failure().find("2027-01-01") != std::string::npos);
    std::vector<std::string> words;
    Client::Options options;
    options.on_words = [&](const std::string& said) { words.push_back(said); };
    World auth("auth", {}, options);
    const std::string failure = auth.start_failure();
    CHECK(failure.ends_with(std::string("HTTP 401 (it wants credentials: see \"headers\")") +
                            mcp::words_are_elsewhere));
    CHECK(failure.find("who are you?") == std::string::npos);
    REQUIRE_FALSE(words.empty());
    CHECK(words.front() == "who are you?");
    CHECK(auth.client->words() == "who are you?");
    ClientSpec spec;
    spec.headers = {"X-Key: k"};
    World keyed("auth", spec);
    CHECK(keyed.start_failure() == "(started)");
}

TEST_CASE("Client over HTTP: a result above the bound fails its call and nothing else") {
    for (const char* mode : {"big", "bigsse"}) {
        CAPTURE(mode);
        ClientSpec spec;
        spec.most_message = 1 << 20;
        World world(mode, spec);
        world.start();
        CHECK(world.code_of_call() == jsonrpc::code::too_large);
        CHECK(world.code_of_call() == jsonrpc::code::too_large);
        CHECK(world.client->state() == Client::State::ready);
    }
}

TEST_CASE("Client over HTTP: a call that is given up is cancelled as its era has it") {
    mcp::CallOptions options;
    options.limit = 100ms;
    SUBCASE("by a notification, and then the connection") {
        World world("hang");
        world.start();
        CHECK_THROWS_AS(world.call("{}", options), Error);
        CHECK(world.asked("told to cancel"));
        CHECK(world.asked("client left a call"));
    }
    SUBCASE("by the connection alone") {
        World world("hangmodern");
        world.start();
        CHECK_THROWS_AS(world.call("{}", options), Error);
        CHECK(world.asked("client left a call"));
        CHECK(world.server->stderr_tail().find("told to cancel") == std::string::npos);
    }
}

TEST_CASE("Client over HTTP: a server speaks by itself on its stream") {
    int changes = 0;
    Client::Options options;
    options.on_tools_changed = [&] { ++changes; };
    World world("stream", {}, options);
    world.start();
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (changes == 0 && std::chrono::steady_clock::now() < end) {
        world.loop.restart();
        world.loop.run_one_for(50ms);
    }
    CHECK(changes > 0);
    world.stop();
    CHECK(world.asked("client left the stream"));
}

TEST_CASE("Client over HTTP: HTTP+SSE of 2024-11-05 is found by falling back, or named") {
    for (const auto transport : {ClientSpec::Transport::http_or_sse, ClientSpec::Transport::sse}) {
        ClientSpec spec;
        spec.transport = transport;
        World world("old", spec);
        world.start();
        CHECK(world.client->transport() == "sse");
        CHECK(world.client->facts().version == "2024-11-05");
        CHECK(world.call(R"({"x":5})").find(R"({\"x\": 5})") != std::string::npos);
    }
    World away("oldaway");
    CHECK(away.start_failure().find("names an endpoint on another server") != std::string::npos);
}

TEST_CASE("Client over HTTP: a server that is not there, or goes") {
    ClientSpec spec;
    spec.name = "none";
    spec.url = "http://127.0.0.1:9/mcp?key=secret";
    spec.transport = ClientSpec::Transport::http;
    asio::io_context loop;
    Client client(loop.get_executor(), spec, {});
    const auto start = [&]() -> asio::awaitable<int> {
        co_await client.start();
        co_return 1;
    };
    CHECK_THROWS_AS(run(loop, start()), Error);
    CHECK(client.failure().starts_with("server none: POST http://127.0.0.1:9/mcp: "));
    CHECK(client.failure().find("secret") == std::string::npos);

    World world("json");
    world.start();
    world.server->close();
    while (!world.server->gone() && world.loop.run_one_for(20s) > 0) {
    }
    REQUIRE(world.server->gone());
    CHECK(world.code_of_call() == jsonrpc::code::connection_closed);
}
