// Turns, workers, gates and budgets: what keeps one peer from holding up or swelling the process.
#include <doctest/doctest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "src/base/budget.h"
#include "src/base/gate.h"
#include "src/base/large_blocks.h"
#include "src/base/long_text.h"
#include "src/base/turns.h"
#include "src/base/workers.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

void burn(std::chrono::milliseconds time) {
    const auto until = base::thread_cpu_time() + time;
    while (base::thread_cpu_time() < until) {
    }
}

} // namespace

TEST_CASE("Turns: a turn that takes too long is reported, with what took most of it") {
    asio::io_context loop(1);
    std::vector<std::string> said;
    base::Turns turns([&](std::chrono::milliseconds took, const char* what) {
        CHECK(took >= base::most_turn);
        said.emplace_back(what);
    });
    asio::post(loop, [] { burn(1ms); });
    asio::post(loop, [] {
        {
            const base::Doing doing("short");
            burn(1ms);
        }
        const base::Doing doing("long");
        burn(60ms);
    });
    asio::post(loop, [] { std::this_thread::sleep_for(60ms); }); // waits, and costs nothing
    while (turns.run_one(loop)) {
    }
    CHECK(said == std::vector<std::string>{"long"});
}

TEST_CASE("yield_if_long: a long loop over one peer's messages lets others have their turns") {
    asio::io_context loop(1);
    std::size_t reported = 0;
    base::Turns turns([&](std::chrono::milliseconds, const char*) { ++reported; });
    int others = 0;
    bool done = false;
    auto long_loop = [&]() -> asio::awaitable<void> {
        for (int i = 0; i < 30; ++i) {
            burn(3ms);
            co_await base::yield_if_long();
        }
        done = true;
    };
    asio::co_spawn(loop, long_loop, asio::detached);
    std::function<void()> other = [&] {
        ++others;
        if (!done) asio::post(loop, other);
    };
    asio::post(loop, other);
    while (turns.run_one(loop)) {
    }
    CHECK(done);
    CHECK(others >= 10);
    CHECK(reported == 0);
}

TEST_CASE("Workers: a job runs on another thread, its result and its exception come back to the loop") {
    asio::io_context loop(1);
    base::Workers workers(loop.get_executor(), 2, 4);
    const auto here = std::this_thread::get_id();
    std::string got, failed;
    std::chrono::nanoseconds spent{0};
    auto work = [&]() -> asio::awaitable<void> {
        auto job = [here] {
            return std::this_thread::get_id() == here ? std::string() : std::string("away");
        };
        got = co_await workers.run(job, &spent);
        CHECK(std::this_thread::get_id() == here);
        auto bad = []() -> int { throw std::runtime_error("broken"); };
        try {
            co_await workers.run(bad);
        } catch (const std::runtime_error& e) {
            failed = e.what();
        }
    };
    asio::co_spawn(loop, work, asio::detached);
    loop.run_for(10s);
    CHECK(got == "away");
    CHECK(failed == "broken");
    CHECK(spent.count() > 0);
}

TEST_CASE(
    "Workers: a caller that is cancelled waits for its job, and nothing reaches into the other thread") {
    asio::io_context loop(1);
    base::Workers workers(loop.get_executor(), 2, 4);
    std::atomic<bool> began{false}, ended{false};
    bool after = false;
    asio::cancellation_signal first, second;
    auto work = [&]() -> asio::awaitable<void> {
        auto job = [&] {
            began = true;
            std::this_thread::sleep_for(30ms);
            ended = true;
            return 0;
        };
        try {
            co_await workers.run(job);
        } catch (const boost::system::system_error&) {
        }
        after = ended;
    };
    asio::co_spawn(loop, work, asio::bind_cancellation_slot(first.slot(), asio::detached));
    asio::co_spawn(loop, work, asio::bind_cancellation_slot(second.slot(), asio::detached));
    asio::post(loop, [&] { first.emit(asio::cancellation_type::terminal); });
    second.emit(asio::cancellation_type::terminal);
    loop.run_for(10s);
    CHECK(began);
    CHECK(after);
}

TEST_CASE("Workers: beyond the bound jobs wait, and all are run") {
    asio::io_context loop(1);
    base::Workers workers(loop.get_executor(), 2, 2);
    std::atomic<int> at_once{0}, most{0};
    int done = 0;
    auto one = [&]() -> asio::awaitable<void> {
        auto job = [&] {
            const int now = ++at_once;
            int seen = most;
            while (now > seen && !most.compare_exchange_weak(seen, now)) {
            }
            std::this_thread::yield();
            --at_once;
            return 0;
        };
        co_await workers.run(job);
        ++done;
    };
    for (int i = 0; i < 50; ++i) asio::co_spawn(loop, one, asio::detached);
    loop.run_for(10s);
    CHECK(done == 50);
    CHECK(most <= 2);
}

TEST_CASE("Gate: lets a few in, in the order of asking; who is cancelled leaves the line") {
    asio::io_context loop(1);
    base::Gate gate(loop.get_executor(), 1);
    std::vector<int> order;
    std::optional<base::Gate::Place> held;
    asio::cancellation_signal signal;
    auto first = [&]() -> asio::awaitable<void> { held = co_await gate.enter(); };
    auto enter = [&](int number) -> asio::awaitable<void> {
        const base::Gate::Place place = co_await gate.enter();
        order.push_back(number);
    };
    asio::co_spawn(loop, first, asio::detached);
    asio::co_spawn(loop, enter(1), asio::detached);
    asio::co_spawn(loop, enter(2), asio::bind_cancellation_slot(signal.slot(), asio::detached));
    asio::co_spawn(loop, enter(3), asio::detached);
    loop.run_for(20ms);
    CHECK(order.empty());
    CHECK(gate.waiting() == 3);
    signal.emit(asio::cancellation_type::terminal);
    loop.restart();
    loop.run_for(20ms);
    CHECK(gate.waiting() == 2);
    held.reset();
    loop.restart();
    loop.run_for(1s);
    CHECK(order == std::vector<int>{1, 3});
    CHECK(gate.waiting() == 0);
}

TEST_CASE("Budget: past its bound it is full until something is done with; the whole counts all") {
    asio::io_context loop(1);
    base::Budget whole(loop.get_executor(), 1000);
    base::Budget one(loop.get_executor(), 100, &whole);
    base::Budget other(loop.get_executor(), 100, &whole);
    base::Budget::Share large = one.take(150);
    const base::Budget::Share small = other.take(100);
    CHECK(one.full());
    CHECK_FALSE(other.full());
    CHECK(whole.used() == 250);
    bool through = false;
    auto wait = [&]() -> asio::awaitable<void> {
        while (one.full()) co_await one.change();
        through = true;
    };
    asio::co_spawn(loop, wait, asio::detached);
    loop.run_for(20ms);
    CHECK_FALSE(through);
    base::Budget::Share moved = std::move(large);
    CHECK(one.used() == 150);
    moved = base::Budget::Share();
    loop.restart();
    loop.run_for(1s);
    CHECK(through);
    CHECK(one.used() == 0);
    CHECK(whole.used() == 100);
}

TEST_CASE("LongText: what was put in comes out, from its end too") {
    constexpr std::size_t piece = base::LongText::piece;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, piece - 1, piece, piece + 1, 2 * piece + 3}) {
        CAPTURE(size);
        base::LongText text;
        std::string expected(size, 'x');
        for (std::size_t i = 0; i < size; i += 777) expected[i] = static_cast<char>('a' + i % 23);
        for (std::size_t at = 0; at < size; at += 100'003) text.append(expected.substr(at, 100'003));
        CHECK(text.size() == size);
        CHECK(text.tail(10) == expected.substr(size - std::min<std::size_t>(size, 10)));
        if (size > 0) {
            text.append("!");
            CHECK(text.ends_with('!'));
            text.drop_last();
        }
        CHECK(text.join("begin ") == "begin " + expected);
        CHECK(text.empty());
    }
}

TEST_CASE("large blocks: what a turn of the loop lets go of is freed elsewhere, and nothing is lost by it") {
    base::free_large_blocks_elsewhere();
    asio::io_context loop(1);
    base::Turns turns({});
    std::vector<std::string> held;
    for (int i = 0; i < 20; ++i) held.emplace_back(std::size_t{16} << 20, 'x');
    asio::post(loop, [&] { held.clear(); }); // 320 MiB: some 80'000 pages
    while (turns.run_one(loop)) {
    }
    CHECK(held.empty());
    std::string outside(std::size_t{16} << 20, 'y'); // and outside of turns as ever
    CHECK(outside.back() == 'y');
}
