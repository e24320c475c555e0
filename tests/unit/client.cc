// The client role against tests/fakes/mini.py, a real child for each kind of misbehaviour.
#include "src/mcp/client/client.h"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <signal.h>
#include <thread>

#include "src/mcp/client/outgoing.h"
#include "tests/unit/mini.h"
#include "tests/unit/run.h"

using namespace std::chrono_literals;
namespace asio = boost::asio;
using jsonrpc::Error;
using mcp::Client;
using mcp::ClientSpec;

namespace {

asio::awaitable<int> stopped(Client& client) {
    co_await client.stop(5s);
    co_return 1;
}

std::vector<std::string> names(const Client& client) {
    std::vector<std::string> found;
    for (const mcp::UpstreamTool& each : client.tools()) found.push_back(each.name);
    return found;
}

// What a server of mode "deaf" says once it is so; 0: not in time.
pid_t told_pid(asio::io_context& loop, const Client& client) {
    const std::string before = "deaf: ";
    const auto end = std::chrono::steady_clock::now() + 10s;
    std::string said;
    while (!said.ends_with('\n') && std::chrono::steady_clock::now() < end) {
        loop.restart();
        loop.run_one_for(100ms);
        const std::string log = client.log_tail();
        const std::size_t at = log.find(before);
        if (at != std::string::npos) said = log.substr(at + before.size());
    }
    return said.empty() ? 0 : std::stoi(said);
}

std::string start_failure(ClientSpec spec) {
    asio::io_context loop;
    Client client(loop.get_executor(), std::move(spec), {});
    try {
        run(loop, started(client));
    } catch (const Error& e) {
        CHECK(client.state() == Client::State::failed);
        CHECK(client.failure() == e.what());
        return e.what();
    }
    return "(started)";
}

} // namespace

TEST_CASE("Client: starts servers of every kind that there is, and calls their tool") {
    struct Row {
        const char* mode;
        const char* version;
        std::vector<std::string> tools{"a"};
    };
    for (const Row& row :
         {Row{"ok", "2025-11-25"}, Row{"banner", "2025-11-25"}, Row{"slow0.2", "2025-11-25"},
          Row{"crlf", "2025-11-25"}, Row{"exit", "2025-11-25"}, Row{"old", "2024-11-05"},
          Row{"mar", "2025-03-26"}, Row{"strid", "2025-11-25"}, Row{"badtool", "2025-11-25", {"a", "b"}},
          Row{"batch", "2025-11-25"}, Row{"page", "2025-11-25", {"p0", "p1", "p2"}},
          Row{"loop", "2025-11-25"}, Row{"flood", "2025-11-25"}, Row{"modern", "2026-07-28"}}) {
        CAPTURE(row.mode);
        asio::io_context loop;
        Client client(loop.get_executor(), mini(row.mode), {});
        CHECK(run(loop, started(client)) == 1);
        CHECK(client.state() == Client::State::ready);
        CHECK(client.facts().version == row.version);
        CHECK(client.facts().name == "mini");
        CHECK(names(client) == row.tools);
        CHECK(run(loop, called(client, R"({"x":[1,"é"]})", {})).find(R"([1, \"\\u00e9\"])") !=
              std::string::npos);
        std::vector<std::string> warnings = client.warnings();
        std::erase_if(warnings, [](const std::string& each) { // so slow a machine that the probe was given up
            return each.find("an answer to no request of ours") != std::string::npos;
        });
        const bool odd = std::string(row.mode) == "banner" || std::string(row.mode) == "exit" ||
                         std::string(row.mode) == "badtool" || std::string(row.mode) == "loop";
        CHECK(warnings.empty() != odd);
        CHECK(run(loop, stopped(client)) == 1);
        CHECK(client.state() == Client::State::stopped);
    }
}

TEST_CASE("Client: a server that is silent on the probe is spoken to as one of old, and remembered so") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("mute"), {});
    CHECK(run(loop, started(client)) == 1);
    CHECK(client.facts().era == mcp::Era::legacy);
    CHECK(client.next_protocol() == ClientSpec::Protocol::legacy);
}

TEST_CASE("Client: a server that reads the probe late, and dies of it, is started again without it") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("late"), {});
    CHECK(run(loop, started(client)) == 1);
    CHECK(client.state() == Client::State::ready);
    REQUIRE(client.warnings().size() == 1);
    CHECK(client.warnings().front().find("started again without the question") != std::string::npos);
}

TEST_CASE("Client: a start that fails says why, without the server's own words") {
    CHECK(start_failure(mini("crash")) ==
          std::string("server crash closed the connection: exited with status 3") + mcp::words_are_elsewhere);
    CHECK(start_failure(mini("future"))
              .starts_with("server future: it answered initialize with protocol version \"2099-01-01\", "
                           "which we do not speak"));
    CHECK(start_failure(mini("modernbad")).find("2027-01-01") != std::string::npos);
    ClientSpec never = mini("never");
    never.start_timeout = 500ms;
    CHECK(start_failure(never).starts_with("server never did not answer initialize within"));
    ClientSpec nothing = mini("ok");
    nothing.launch.argv = {"no-such-command"};
    nothing.launch.env = {"PATH=/usr/bin"};
    CHECK(start_failure(nothing) == "server ok: no-such-command: not found in PATH=/usr/bin");
    ClientSpec only_modern = mini("ok");
    only_modern.protocol = ClientSpec::Protocol::modern;
    CHECK(start_failure(only_modern).find("it speaks none: Method not found") != std::string::npos);
}

TEST_CASE("Client: many may wait for one start") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("ok"), {});
    int ready = 0;
    for (int i = 0; i < 10; ++i)
        asio::co_spawn(loop, client.start(), [&](std::exception_ptr e) { ready += !e; });
    run(loop, started(client));
    loop.restart();
    loop.poll();
    CHECK(ready == 10);
}

TEST_CASE("Client: a tool that asks a person is told that it was cancelled, one that asks for more is an "
          "error that says so") {
    asio::io_context loop;
    Client asking(loop.get_executor(), mini("input"), {});
    run(loop, started(asking));
    const std::string result = run(loop, called(asking, R"({"x":1})", {}));
    CHECK(result.find(R"(\"inputResponses\": {\"q\": {\"action\": \"cancel\"}})") != std::string::npos);
    CHECK(result.find(R"(\"requestState\": \"as it was\")") != std::string::npos);
    Client sampling(loop.get_executor(), mini("sample"), {});
    run(loop, started(sampling));
    CHECK_THROWS_WITH_AS(run(loop, called(sampling, "{}", {})),
                         "the tool asks for \"sampling/createMessage\", which cannot be had here", Error);
    Client endless(loop.get_executor(), mini("again"), {});
    run(loop, started(endless));
    CHECK_THROWS_WITH_AS(run(loop, called(endless, "{}", {})), "the tool asks for input again and again",
                         Error);
}

TEST_CASE("Client: a server that dies in a call fails it, and stays dead; its last words are for the log") {
    asio::io_context loop;
    int told = 0;
    Client::Options options;
    options.on_ended = [&] { ++told; };
    std::vector<std::string> words;
    options.on_words = [&](const std::string& said) { words.push_back(said); };
    Client client(loop.get_executor(), mini("die"), options);
    run(loop, started(client));
    const std::string failure =
        std::string("server die closed the connection: exited with status 1") + mcp::words_are_elsewhere;
    CHECK_THROWS_WITH_AS(run(loop, called(client, "{}", {})), failure.c_str(), Error);
    loop.restart();
    loop.run_for(1s);
    CHECK(told == 1);
    CHECK(client.state() == Client::State::failed);
    CHECK(client.failure() ==
          std::string("server die ended: exited with status 1") + mcp::words_are_elsewhere);
    CHECK(client.words() == "fatal: the tool killed me");
    CHECK(words == std::vector<std::string>{"fatal: the tool killed me"});
    CHECK_THROWS_AS(run(loop, called(client, "{}", {})), Error);
}

TEST_CASE("Client: a result above the bound fails its call and nothing else") {
    asio::io_context loop;
    ClientSpec spec = mini("big");
    spec.most_message = 1 << 20;
    Client client(loop.get_executor(), spec, {});
    run(loop, started(client));
    for (int i = 0; i < 2; ++i) {
        try {
            run(loop, called(client, "{}", {}));
            FAIL("it must not succeed");
        } catch (const Error& e) {
            CHECK(e.code() == jsonrpc::code::too_large);
        }
    }
    CHECK(client.state() == Client::State::ready);
}

TEST_CASE("Client: a call that is given up is cancelled at the server, by time or by its caller") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("hang"), {});
    run(loop, started(client));
    mcp::CallOptions options;
    options.limit = 50ms;
    CHECK_THROWS_AS(run(loop, called(client, "{}", options)), Error);
    asio::cancellation_signal signal;
    bool ended = false;
    asio::co_spawn(loop, called(client, "{}", {}),
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](std::exception_ptr e, std::string) { ended = e != nullptr; }));
    loop.restart();
    loop.run_for(50ms);
    CHECK_FALSE(ended);
    signal.emit(asio::cancellation_type::terminal);
    const auto cancellations = [&] {
        const std::string log = client.log_tail();
        int count = 0;
        for (std::size_t at = 0;
             (at = log.find("notifications/cancelled {\"requestId\": ", at)) != std::string::npos; ++at)
            ++count;
        return count;
    };
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (cancellations() < 2 && std::chrono::steady_clock::now() < end) loop.run_for(5ms), loop.restart();
    CHECK(ended);
    CHECK(cancellations() == 2);
    CHECK(client.log_tail().find("notifications/initialized") != std::string::npos);
}

TEST_CASE("Client: progress reaches the call that it is for") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("progress"), {});
    run(loop, started(client));
    std::string told;
    mcp::CallOptions options;
    options.on_progress = [&](double done, std::optional<double> total, const std::string& message) {
        told += std::to_string(static_cast<int>(done)) + "/" +
                std::to_string(static_cast<int>(total.value_or(0))) + " " + message + ";";
    };
    run(loop, called(client, "{}", options));
    CHECK(told == "1/3 step 1;2/3 step 2;3/3 step 3;");
}

TEST_CASE("Client: tools that change are listed again") {
    asio::io_context loop;
    int told = 0;
    Client::Options options;
    options.on_tools_changed = [&] { ++told; };
    Client client(loop.get_executor(), mini("change"), options);
    run(loop, started(client));
    CHECK(names(client) == std::vector<std::string>{"a"});
    run(loop, called(client, "{}", {}));
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (told == 0 && std::chrono::steady_clock::now() < end) loop.restart(), loop.run_one_for(100ms);
    CHECK(names(client) == std::vector<std::string>{"a", "a1"});
}

TEST_CASE("Client: a server's ping is answered, and all else that it may ask is refused") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("asks"), {});
    run(loop, started(client));
    CHECK(run(loop, called(client, "{}", {})) ==
          R"({"content": [{"type": "text", "text": "[{}, -32601, -32601, -32601, -32601]"}]})");
}

TEST_CASE("Client: stop kills a server that neither reads nor heeds a signal") {
    asio::io_context loop;
    Client client(loop.get_executor(), mini("deaf"), {});
    run(loop, started(client));
    const pid_t server = told_pid(loop, client);
    REQUIRE(::kill(server, 0) == 0);
    const auto stop = [&]() -> asio::awaitable<int> {
        co_await client.stop(50ms);
        co_return 1;
    };
    CHECK(run(loop, stop()) == 1);
    CHECK(::kill(server, 0) == -1);
    CHECK(errno == ESRCH);
}

TEST_CASE("Client: may be destroyed while it starts and while calls wait") {
    asio::io_context loop;
    int failed = 0;
    const auto count = [&](std::exception_ptr e, auto&&...) { failed += e != nullptr; };
    auto starting = std::make_unique<Client>(loop.get_executor(), mini("never"), Client::Options{});
    asio::co_spawn(loop, starting->start(), count);
    auto calling = std::make_unique<Client>(loop.get_executor(), mini("hang"), Client::Options{});
    run(loop, started(*calling));
    asio::co_spawn(loop, calling->call_tool("a", "{}", mcp::CallOptions()), count);
    loop.restart();
    loop.run_for(20ms);
    CHECK(failed == 0);
    starting.reset();
    calling.reset();
    loop.restart();
    loop.run_for(20s); // ends when both children are gone
    CHECK(failed == 2);
}
