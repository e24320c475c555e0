#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "src/sandbox/run_clock.h"

using sandbox::RunClock;
using namespace std::chrono_literals;

namespace {

/// A clock on a loop, and how often it has expired.
struct Fixture {
    explicit Fixture(std::chrono::milliseconds time, std::chrono::milliseconds grace = 0ms)
        : started(RunClock::Clock::now()),
          clock(std::make_unique<RunClock>(loop.get_executor(), time, grace, [this] { ++expired; })) {}

    /// Runs until it has expired or nothing is left to wait for.
    std::chrono::milliseconds run() {
        loop.restart();
        while (expired == 0 && loop.run_one() > 0) {
        }
        return std::chrono::duration_cast<std::chrono::milliseconds>(RunClock::Clock::now() - started);
    }
    void poll() {
        loop.restart();
        loop.poll();
    }

    boost::asio::io_context loop;
    int expired = 0;
    RunClock::Clock::time_point started;
    std::unique_ptr<RunClock> clock;
};

} // namespace

TEST_CASE("RunClock: expires once, not before time and grace are over") {
    Fixture f(30ms, 20ms);
    CHECK(f.run() >= 50ms);
    CHECK(f.expired == 1);
    f.poll();
    CHECK(f.expired == 1);
}

TEST_CASE("RunClock: never after stop, nor after its end") {
    Fixture stopped(1ms);
    stopped.clock->stop();
    stopped.run();
    CHECK(stopped.expired == 0);

    Fixture ended(1ms);
    ended.clock.reset();
    ended.run();
    CHECK(ended.expired == 0);
}

TEST_CASE("RunClock: never after stop, even where the time was over already and its handler queued") {
    Fixture f(1ms);
    std::this_thread::sleep_for(5ms); // the time passes; nothing is waited for that might not come
    f.clock->stop();
    f.poll();
    CHECK(f.expired == 0);

    Fixture ended(1ms);
    std::this_thread::sleep_for(5ms);
    ended.clock.reset();
    ended.poll();
    CHECK(ended.expired == 0);
}

TEST_CASE("RunClock: a pause stops it, and the rest of the time is there afterwards") {
    Fixture f(40ms);
    CHECK(f.clock->pause());
    std::this_thread::sleep_for(30ms);
    CHECK(f.clock->resume());
    CHECK(f.run() >= 70ms);
    CHECK(f.expired == 1);
}

TEST_CASE("RunClock: pauses nest, and only the outermost stops and starts it") {
    Fixture f(10ms);
    CHECK(f.clock->pause());
    CHECK_FALSE(f.clock->pause());
    CHECK_FALSE(f.clock->resume());
    CHECK(f.clock->resume());
    CHECK_FALSE(f.clock->resume()); // one too many does nothing
    CHECK(f.run() >= 10ms);
    CHECK(f.expired == 1);
}

TEST_CASE("RunClock: pauses count at most the run's own time") {
    Fixture never_resumed(20ms, 5ms);
    never_resumed.clock->pause();
    CHECK(never_resumed.run() >= 45ms); // 20 + 5, and 20 more
    CHECK(never_resumed.expired == 1);

    Fixture resumed_late(20ms);
    resumed_late.clock->pause();
    std::this_thread::sleep_for(100ms);
    resumed_late.clock->resume();
    resumed_late.run();
    CHECK(resumed_late.expired == 1);
}

TEST_CASE("RunClock: a pause that begins when the time is over, but before it was noticed, still counts") {
    Fixture f(500ms); // so long, since a busy machine sleeps longer than it is told
    std::this_thread::sleep_for(505ms);
    f.clock->pause();
    f.poll();
    CHECK(f.expired == 0);
    CHECK(f.run() >= 1000ms);
    CHECK(f.expired == 1);
}

TEST_CASE("RunClock: while it is held neither its time nor a pause passes") {
    Fixture f(100ms);
    f.clock->hold();
    std::this_thread::sleep_for(300ms); // longer than the time and all pauses
    f.poll();
    CHECK(f.expired == 0);
    f.clock->pause(); // a server starts meanwhile
    std::this_thread::sleep_for(100ms);
    f.clock->resume();
    f.clock->release();
    f.poll();
    CHECK(f.expired == 0);
    const auto took = f.run();
    CHECK(f.expired == 1);
    CHECK(took >= 480ms);
    CHECK(took < 900ms);
}
