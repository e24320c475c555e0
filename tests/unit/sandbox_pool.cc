#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <list>
#include <thread>

#include "tests/unit/fake_containers.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using sandbox::Pool;

namespace {

// One that asks for a container.
struct Asker {
    Pool::Lease lease;
    std::string failure;
    bool answered = false;
    asio::cancellation_signal signal;
};

struct Fixture : FakeHost {
    explicit Fixture(Pool::Options options) : pool(loop.get_executor(), options, source(), {}) {}
    // the leases go first, then the pool, then the host
    Pool pool;
    std::list<Asker> askers;
    std::vector<Asker*> served; // in the order in which they got one

    Asker& ask() {
        Asker& asker = askers.emplace_back();
        auto done = [this, &asker](const std::exception_ptr& failure, Pool::Lease lease) {
            asker.answered = true;
            asker.lease = std::move(lease);
            if (asker.lease) served.push_back(&asker);
            try {
                if (failure) std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                asker.failure = e.what();
            }
        };
        asio::co_spawn(loop, pool.acquire(),
                       asio::bind_cancellation_slot(asker.signal.slot(), std::move(done)));
        settle();
        return asker;
    }
    ~Fixture() { askers.clear(); }
};

Pool::Options at_most(int most, int warm = 0) {
    Pool::Options options;
    options.most = most;
    options.warm = warm;
    return options;
}

} // namespace

TEST_CASE("Pool: no more than the bound, and who waits is served in the order of asking") {
    Fixture f(at_most(2));
    Asker& first = f.ask();
    Asker& second = f.ask();
    Asker& third = f.ask();
    Asker& fourth = f.ask();
    CHECK(f.served == std::vector<Asker*>{&first, &second});
    CHECK(f.pool.in_use() == 2);
    CHECK(f.engine->created.size() == 2);
    second.lease.reset();
    f.settle();
    first.lease.reset();
    f.settle();
    CHECK(f.served == std::vector<Asker*>{&first, &second, &third, &fourth});
    CHECK(f.engine->created.size() == 4); // each container is used once
    CHECK(f.engine->names().size() == 2);
}

TEST_CASE("Pool: a container is ready before it is asked for, from the first use on") {
    Fixture f(at_most(4, 2));
    f.settle();
    CHECK(f.engine->created.empty());
    Asker& asker = f.ask();
    REQUIRE(asker.lease);
    CHECK(f.comes([&] { return f.pool.warm() == 2; }));
    const std::size_t made = f.engine->created.size();
    CHECK(f.ask().lease);
    CHECK(f.engine->created.size() == made);
}

TEST_CASE(
    "Pool: where a call is foreseen, the first container is made before it, and a failure is nobody's") {
    Fixture f(at_most(4, 1));
    f.engine->refusals.emplace_back(runtime_api::Errc::rejected, "create container: no");
    f.pool.foresee();
    f.settle();
    CHECK(f.pool.warm() == 0);
    f.pool.foresee(); // once is enough
    f.settle();
    CHECK(f.engine->created.size() == 1);
    CHECK(f.ask().lease);

    Fixture g(at_most(4, 1));
    g.pool.foresee();
    REQUIRE(g.comes([&] { return g.pool.warm() == 1; }));
    CHECK(g.ask().lease);
    CHECK(g.engine->created.size() == 1);

    Fixture none(at_most(4, 0));
    none.pool.foresee();
    none.settle();
    CHECK(none.engine->created.empty());
}

TEST_CASE("Pool: a burst that was seen twice finds all warm, as far as the host has memory for it") {
    for (const int memory_for : {8, 3}) {
        Pool::Options options = at_most(16, 1);
        options.most_warm = [memory_for] { return memory_for; };
        Fixture f(options);
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 4; ++i) f.ask();
            for (Asker& each : f.askers) each.lease.reset();
            std::this_thread::sleep_for(320ms); // the end of a burst is a pause of that length
            f.settle();
        }
        const int expected = std::min(4, memory_for);
        CHECK(f.comes([&] { return f.pool.warm() == expected; }));
        CHECK(f.pool.making() == 0);
    }
}

TEST_CASE("Pool: one that died while it was warm is not handed out") {
    Fixture f(at_most(4, 1));
    f.ask();
    REQUIRE(f.comes([&] { return f.pool.warm() == 1; }));
    const std::string dead = f.engine->created.back();
    f.engine->guest(dead)->end();
    f.settle();
    Asker& asker = f.ask();
    REQUIRE(asker.lease);
    CHECK(asker.lease->name() != dead);
    CHECK(asker.lease->alive());
    CHECK(f.comes([&] { return std::count(f.engine->removed.begin(), f.engine->removed.end(), dead) > 0; }));
}

TEST_CASE("Pool: a failure answers one call with the engine's words, and the next has a try of its own") {
    Fixture f(at_most(1));
    f.engine->holds = true;
    f.engine->refusals.emplace_back(runtime_api::Errc::rejected, "create container: no");
    Asker& first = f.ask();
    Asker& second = f.ask();
    f.engine->release();
    f.settle();
    CHECK(first.failure == "create container: no");
    CHECK(second.lease);
    CHECK(f.pool.in_use() == 1);
}

TEST_CASE("Pool: a try that had begun before the call came does not answer it") {
    Fixture f(at_most(1, 1));
    Asker& first = f.ask();
    REQUIRE(first.lease);
    f.engine->holds = true;
    f.engine->refusals.emplace_back(runtime_api::Errc::unavailable, "the engine was restarted");
    first.lease.reset();
    REQUIRE(f.comes([&] { return f.pool.making() == 1; }));
    Asker& second = f.ask(); // it waits for the one that is being made
    f.engine->release();
    f.settle();
    CHECK(second.failure.empty());
    CHECK(second.lease);
}

TEST_CASE("Pool: a call that is cancelled while it waits leaves its place to the next") {
    Fixture f(at_most(1));
    Asker& first = f.ask();
    Asker& second = f.ask();
    Asker& third = f.ask();
    second.signal.emit(asio::cancellation_type::terminal);
    f.settle();
    CHECK(second.failure == "cancelled");
    first.lease.reset();
    f.settle();
    CHECK(third.lease);
    CHECK(f.pool.in_use() == 1);
}

TEST_CASE(
    "Pool: a call that is cancelled in the moment in which it is served leaves its container to the next") {
    Fixture f(at_most(1));
    f.engine->holds = true;
    Asker& first = f.ask();
    Asker& second = f.ask();
    bool in_time = false;
    f.once([&] { return f.pool.in_use() == 1; },
           [&] {
               in_time = !first.answered; // it was given, and has not come to take it
               first.signal.emit(asio::cancellation_type::terminal);
           });
    f.engine->release();
    f.settle();
    CHECK(in_time);
    CHECK(first.failure == "cancelled");
    REQUIRE(second.lease);
    CHECK(f.engine->created.size() == 1); // the very same
    CHECK(f.pool.in_use() == 1);
}

TEST_CASE("Pool: a cancelled call's half-made container is kept for the next") {
    Fixture f(at_most(2));
    f.engine->holds = true;
    Asker& first = f.ask();
    first.signal.emit(asio::cancellation_type::terminal);
    f.settle();
    f.engine->release();
    f.settle();
    CHECK(f.ask().lease);
    CHECK(f.engine->created.size() == 1);
}

TEST_CASE("Pool: when all places are taken, whoever can make room is asked to") {
    Fixture f(at_most(1));
    Asker& idle = f.ask();
    int asked = 0;
    f.pool.on_pressure([&] {
        ++asked;
        idle.lease.reset();
        return true;
    });
    Asker& second = f.ask();
    CHECK(asked >= 1);
    CHECK(second.lease);
}

TEST_CASE("Pool: who waited in vain is told why") {
    Fixture f(at_most(1));
    f.pool.set_wait_limit(1ms);
    const Asker& first = f.ask();
    REQUIRE(first.lease);
    Asker& second = f.ask();
    REQUIRE(f.comes([&] { return second.answered; }));
    CHECK(second.failure == "all 1 containers are in use; none came free in time");
    f.engine->holds = true;
    f.askers.front().lease.reset();
    Asker& third = f.ask();
    REQUIRE(f.comes([&] { return third.answered; }));
    CHECK(third.failure.starts_with("no container was ready in time; one is still being made"));
}

TEST_CASE("Pool: when it is closed, warm ones go, who waits is told, and what was being made is removed") {
    Fixture f(at_most(1, 1));
    Asker& first = f.ask();
    f.engine->holds = true;
    first.lease.reset();
    REQUIRE(f.comes([&] { return f.pool.making() == 1; }));
    Asker& second = f.ask();
    f.pool.close();
    f.engine->release();
    f.settle();
    CHECK(second.failure == "Cordon is shutting down");
    CHECK(f.ask().failure == "Cordon is shutting down");
    CHECK(f.comes([&] { return f.engine->names().empty(); }));
    CHECK(f.pool.warm() == 0);
}
