#include "src/base/turns.h"

#include <ctime>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace base {
namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

constexpr nanoseconds long_enough = 1ms; // then others have a turn: a call of theirs takes some ten

struct Turn {
    nanoseconds began{-1}; // negative: none runs
    nanoseconds most{0};   // of the scopes in it
    const char* what = "";
};
thread_local Turn turn;

} // namespace

nanoseconds thread_cpu_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

Doing::Doing(const char* what) : what_(what), began_(thread_cpu_time()) {}

Doing::~Doing() {
    const nanoseconds took = thread_cpu_time() - began_;
    if (took < turn.most) return;
    turn.most = took;
    turn.what = what_;
}

void now_doing(const char* what) {
    if (turn.most == 0ns) turn.what = what;
}

bool in_a_turn() noexcept { return turn.began >= 0ns; }

bool Turns::run_one(asio::io_context& loop) {
    // The wait for a handler is part of run_one, but costs no CPU.
    turn = Turn{thread_cpu_time(), 0ns, ""};
    const bool ran = loop.run_one() > 0;
    const nanoseconds took = thread_cpu_time() - turn.began;
    turn.began = -1ns;
    if (took > most_ && report_)
        report_(std::chrono::duration_cast<std::chrono::milliseconds>(took), turn.what);
    return ran;
}

asio::awaitable<void> yield_if_long() {
    if (turn.began < 0ns || thread_cpu_time() - turn.began < long_enough) co_return;
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable);
}

} // namespace base
