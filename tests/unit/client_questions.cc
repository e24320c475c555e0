// Servers that ask a person while they work on a call of ours: tests/fakes/mini.py, modes person and input.
#include <doctest/doctest.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/unit/mini.h"
#include "tests/unit/run.h"

using namespace std::chrono_literals;
namespace asio = boost::asio;
using mcp::Client;

namespace {

// A person at a client: sees what is asked, and answers when the test says so.
struct Person {
    explicit Person(asio::io_context& loop) : thinks(loop, asio::steady_timer::time_point::max()) {}

    mcp::CallOptions options(const std::string& who = "c1") {
        mcp::CallOptions out;
        out.asker.who = who;
        out.asker.ask = [this](std::string params) { return ask(std::move(params)); };
        return out;
    }
    asio::awaitable<std::string> ask(std::string params) {
        asked.push_back(std::move(params));
        boost::system::error_code ignored;
        if (slow) co_await thinks.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
            ++interrupted;
            throw jsonrpc::Error(jsonrpc::code::cancelled, "cancelled");
        }
        co_return says;
    }

    asio::steady_timer thinks;
    std::string says = R"({"action":"accept","content":{"size":7}})";
    bool slow = false;
    std::vector<std::string> asked;
    int interrupted = 0;
};

struct Server {
    explicit Server(const std::string& mode, bool elicits = true)
        : client(loop.get_executor(), spec(mode, elicits), {}) {
        run(loop, started(client));
    }
    static mcp::ClientSpec spec(const std::string& mode, bool elicits) {
        mcp::ClientSpec out = mini(mode);
        out.elicits = elicits;
        return out;
    }
    std::string call(const std::string& arguments, mcp::CallOptions options) {
        return run(loop, called(client, arguments, std::move(options)));
    }
    // Begins a call whose result is kept.
    void begin(const std::string& arguments, mcp::CallOptions options) {
        asio::co_spawn(loop, called(client, arguments, std::move(options)),
                       [this](std::exception_ptr failure, std::string result) {
                           ended.push_back(failure ? "failed" : std::move(result));
                       });
    }
    template <class Condition> void until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 30s;
        loop.restart();
        while (!condition() && std::chrono::steady_clock::now() < end && loop.run_one_until(end) > 0) {
        }
        REQUIRE(condition());
    }

    asio::io_context loop;
    Client client;
    std::vector<std::string> ended;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string cancelled_text = R"([{\"action\": \"cancel\"}])";

} // namespace

TEST_CASE("Client: what a server asks reaches the person, and the answer the server") {
    Server server("person");
    Person person(server.loop);
    CHECK(has(server.call("{}", person.options()),
              R"([{\"action\": \"accept\", \"content\": {\"size\": 7}}])"));
    REQUIRE(person.asked.size() == 1);
    CHECK(person.asked[0].starts_with(
        R"({"message":"The MCP server \"person\" asks: Which size?","requestedSchema":{)"));
    person.says = R"({"action":"decline"})";
    CHECK(has(server.call("{}", person.options()), R"([{\"action\": \"decline\"}])"));
    person.says = R"({"action":"accept"})"; // no answer at all
    CHECK(has(server.call("{}", person.options()), cancelled_text));
}

TEST_CASE(
    "Client: a server is told that it may ask only where the spec says so, and gets no answer from nobody") {
    Server silent("person", false);
    Person person(silent.loop);
    CHECK(has(silent.call(R"({"x":1})", person.options()), R"({\"x\": 1})"));
    CHECK(person.asked.empty());
    Server server("person");
    CHECK(has(server.call("{}", {}), cancelled_text));
}

TEST_CASE("Client: a question that is no form, or malformed, is an error for the server and nobody sees it") {
    Server server("person");
    Person person(server.loop);
    for (const char* ask :
         {R"({"mode":"url","url":"https://x"})", R"({"requestedSchema":7})", R"({"message":null})"})
        CHECK(
            has(server.call(std::string(R"({"ask":)") + ask + "}", person.options()), R"(\"code\": -32602)"));
    CHECK(person.asked.empty());
}

TEST_CASE("Client: one call may ask sixteen times; what is asked beyond that is not shown") {
    Server server("person");
    Person person(server.loop);
    const std::string result = server.call(R"({"times":17})", person.options());
    CHECK(person.asked.size() == 16);
    CHECK(has(result, R"({\"action\": \"cancel\"}])"));
}

TEST_CASE("Client: while calls of several clients run, none is asked what another's call may be about") {
    Server server("person");
    Person first(server.loop), second(server.loop);
    first.slow = true;
    server.begin("{}", first.options("c1"));
    server.until([&] { return first.asked.size() == 1; });
    CHECK(has(server.call("{}", second.options("c2")), cancelled_text));
    CHECK(has(server.call("{}", {}), cancelled_text));
    CHECK(second.asked.empty());
    CHECK(has(server.call("{}", second.options("c1")), R"(\"size\": 7)"));
    first.thinks.cancel();
    server.until([&] { return server.ended.size() == 1; });
    CHECK(has(server.ended[0], R"(\"size\": 7)"));
}

TEST_CASE("Client: a call that ends takes its questions with it, and the server is told") {
    Server server("person");
    Person person(server.loop);
    person.slow = true;
    mcp::CallOptions options = person.options();
    options.limit = 200ms;
    server.begin("{}", std::move(options));
    server.until([&] { return server.ended.size() == 1 && person.interrupted == 1; });
    CHECK(server.ended[0] == "failed");
    server.until([&] { return has(server.client.log_tail(), R"("result": {"action": "cancel"})"); });
}

TEST_CASE("Client: a server that takes its question back interrupts the person") {
    Server server("person");
    Person person(server.loop);
    person.slow = true;
    CHECK(has(server.call(R"({"withdraw":1})", person.options()), "never mind"));
    server.until([&] { return person.interrupted == static_cast<int>(person.asked.size()); });
    CHECK(has(server.call("{}", {}), cancelled_text)); // and is well
}

TEST_CASE("Client: a modern server's question is answered in the next round, and lost with its call") {
    Server server("input");
    Person person(server.loop);
    CHECK(has(server.call("{}", person.options()),
              R"(\"inputResponses\": {\"q\": {\"action\": \"accept\", \"content\": {\"size\": 7}}})"));
    CHECK(person.asked.size() == 1);
    person.slow = true;
    mcp::CallOptions options = person.options();
    server.begin("{}", std::move(options));
    server.until([&] { return person.asked.size() == 2; });
    CHECK(server.ended.empty());
    person.thinks.cancel();
    server.until([&] { return server.ended.size() == 1; });
    CHECK(has(server.ended[0], R"(\"size\": 7)"));
}
