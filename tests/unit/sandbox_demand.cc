#include <doctest/doctest.h>

#include "src/sandbox/demand.h"

using namespace std::chrono_literals;
using sandbox::Demand;

namespace {

const Demand::Clock::time_point start{};

// So many calls at once, which end a second later.
void burst(Demand& demand, int size, std::chrono::seconds at) {
    for (int i = 0; i < size; ++i) demand.asked(start + at);
    for (int i = 0; i < size; ++i) demand.ended(start + at);
}

} // namespace

TEST_CASE("Demand: what was seen twice is foreseen, and once is not") {
    Demand demand(300s);
    CHECK(demand.foreseen(start) == 0);
    burst(demand, 4, 1s);
    CHECK(demand.foreseen(start + 2s) == 0);
    burst(demand, 4, 10s);
    CHECK(demand.foreseen(start + 11s) == 4);
    burst(demand, 9, 20s);
    CHECK(demand.foreseen(start + 21s) == 4);
    burst(demand, 6, 30s);
    CHECK(demand.foreseen(start + 31s) == 6);
}

TEST_CASE("Demand: it is forgotten after a while") {
    Demand demand(300s);
    burst(demand, 4, 1s);
    burst(demand, 4, 100s);
    CHECK(demand.foreseen(start + 301s) == 4);
    CHECK(demand.foreseen(start + 302s) == 0);
}

TEST_CASE("Demand: calls one after the other are bursts of one, however fast") {
    Demand demand(300s);
    auto now = start;
    for (int i = 0; i < 1000; ++i, now += 5ms) {
        demand.asked(now);
        demand.ended(now);
    }
    CHECK(demand.foreseen(now) <= 1);
}

TEST_CASE("Demand: who has had a container for longer than another takes to be made is no part of a burst") {
    Demand demand(300s);
    demand.asked(start); // a session, say
    for (auto at : {10s, 20s, 30s}) burst(demand, 2, at);
    CHECK(demand.foreseen(start + 31s) == 2);
}

TEST_CASE("Demand: a slow engine makes of more calls one burst, and numbers are bounded") {
    Demand demand(300s);
    for (int i = 0; i < 50; ++i) demand.made_in(20s);
    for (const auto at : {10s, 100s})
        for (int i = 0; i < 3; ++i) demand.asked(start + at + i * 1s);
    CHECK(demand.foreseen(start + 110s) == 3);
    for (int i = 0; i < 5000; ++i) demand.asked(start + 200s);
    for (int i = 0; i < 5000; ++i) demand.asked(start + 210s);
    CHECK(demand.foreseen(start + 211s) <= 1024);
}
