#include "src/mcp/http/clients.h"

#include <doctest/doctest.h>

#include "src/mcp/http/front.h"
#include "src/mcp/http/sessions.h"

using namespace mcp;
using namespace std::chrono_literals;
using Verdict = HttpClients::Verdict;
using Names = HttpClients::Names;

namespace {

const auto now = HttpClients::Clock::now();

int allowed(HttpClients& clients, const Names& client, int tries, HttpClients::Clock::time_point when = now) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += clients.ask(client, when) == Verdict::fine ? 1 : 0;
    return count;
}

} // namespace

TEST_CASE("HttpClients: one that floods is stopped at half of the rate, and the other notices nothing") {
    HttpClients clients({.requests_per_second = 200, .request_burst = 1000});
    CHECK(allowed(clients, {"a"}, 5000) == 500);
    CHECK(clients.ask({"a"}, now) == Verdict::too_much);
    CHECK(allowed(clients, {"b"}, 500) == 500);
    CHECK(allowed(clients, {"a"}, 5000, now + 1s) == 100);
}

TEST_CASE("HttpClients: where many flood, one that was known before is still served, and a newcomer is not") {
    HttpClients clients({.requests_per_second = 200, .request_burst = 1000});
    CHECK(clients.ask({"b"}, now) == Verdict::fine);
    const auto later = now + 60s;
    for (const char* each : {"a1", "a2", "a3", "a4"}) allowed(clients, {each}, 5000, later);
    CHECK(clients.ask({"new"}, later) == Verdict::too_much_of_all);
    CHECK(allowed(clients, {"b"}, 100, later) == 100);
    CHECK(clients.ask({"b"}, later) == Verdict::too_much_of_all);
    CHECK(allowed(clients, {"b"}, 100, later + 1s) >= 20);
}

TEST_CASE("HttpClients: ever new connections of one address have the address's share, and are forgotten") {
    HttpClients clients({.requests_per_second = 200, .request_burst = 1000});
    int served = 0;
    for (int i = 0; i < 20'000; ++i)
        served += clients.ask({"192.0.2.1:" + std::to_string(i), "192.0.2.1"}, now) == Verdict::fine ? 1 : 0;
    CHECK(served == 500);
    CHECK(clients.known() <= 2048);
    CHECK(clients.ask({"192.0.2.2:1", "192.0.2.2"}, now) == Verdict::fine);
}

TEST_CASE("HttpClients: of requests and bytes at work, one may have three quarters; small ones always come "
          "through") {
    HttpClients clients({.most_posts = 8, .most_body_bytes = 8 << 20});
    std::vector<HttpClients::Use> held;
    const auto fill = [&](const Names& client, std::size_t bytes) {
        int count = 0;
        for (; clients.allows(client, 1, bytes) == Verdict::fine && count < 100; ++count)
            held.push_back(clients.take(client, 1, bytes, now));
        return count;
    };
    CHECK(fill({"a"}, 1 << 20) == 6);
    CHECK(clients.allows({"a"}, 1, 1 << 20) == Verdict::too_much);
    CHECK(fill({"b"}, 1 << 20) == 2);
    CHECK(clients.allows({"b"}, 1, 0) == Verdict::too_much_of_all);
    CHECK(clients.allows({"c"}, 1, 100) == Verdict::fine); // its first, and small
    CHECK(clients.allows({"c"}, 1, 1 << 20) == Verdict::too_much_of_all);
    held.clear();
    CHECK(clients.allows({"a"}, 1, 6 << 20) == Verdict::fine);
    CHECK(clients.allows({"a"}, 1, 7 << 20) == Verdict::too_much); // beyond its share, though nobody has any
}

TEST_CASE("HttpClients: what is in use may outlive them, and moves") {
    HttpClients::Use outlives;
    {
        HttpClients clients({.most_posts = 4});
        outlives = clients.take({"a"}, 3, 10, now);
        HttpClients::Use other = std::move(outlives);
        CHECK(clients.allows({"a"}, 1, 0) == Verdict::too_much);
        outlives = std::move(other);
        CHECK(clients.allows({"a"}, 1, 0) == Verdict::too_much);
        outlives = {};
        CHECK(clients.allows({"a"}, 1, 0) == Verdict::fine);
        outlives = clients.take({"a"}, 3, 10, now);
    }
    outlives = {};
}

TEST_CASE(
    "HttpSessions: a full table makes room at the cost of the address that has most, for others at once") {
    std::vector<std::string> gone;
    HttpSessions sessions(4, 8h, [&](const std::string& client) { gone.push_back(client); });
    const auto open = [&](const std::string& address, std::chrono::seconds when) {
        const auto session = std::make_shared<HttpSession>();
        session->address = address;
        return sessions.add(session, now + when) ? session : nullptr;
    };
    const auto innocent = open("b", 0s);
    const auto first = open("a", 1s);
    REQUIRE(open("a", 2s));
    REQUIRE(open("a", 3s));
    CHECK_FALSE(open("a", 4s)); // the greedy one gets no more
    const auto third = open("c", 5s);
    CHECK(third);
    CHECK(gone == std::vector<std::string>{first->client}); // its idlest, and not the innocent, who is idler
    CHECK(sessions.peek(innocent->id) == innocent);
    CHECK(open("d", 6s));
    CHECK(gone.size() == 2);
    CHECK(sessions.peek(innocent->id) == innocent);
    CHECK_FALSE(open("e", 7s)); // nobody is greedy any more, or idle for long
    CHECK(gone.size() == 2);
}
