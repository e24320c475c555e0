#include "src/cli/run_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <unistd.h>

#include "src/base/turns.h"
#include "src/cli/log.h"

namespace cli {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// Some clients die without a signal to us and without closing our stdin (a copy of it may live elsewhere).
constexpr auto parent_check_every = 2s;

} // namespace

struct StopWatch::State : std::enable_shared_from_this<StopWatch::State> {
    State(asio::io_context& loop, OnStop f)
        : signals(loop, SIGINT, SIGTERM, SIGHUP), parent_timer(loop), on_stop(std::move(f)),
          parent(::getppid()) {}

    asio::signal_set signals;
    asio::steady_timer parent_timer;
    OnStop on_stop;
    pid_t parent;
    bool stopping = false;

    void stop(const char* why) {
        if (std::exchange(stopping, true)) return;
        on_stop(why);
    }

    void wait_signal() {
        signals.async_wait([self = shared_from_this()](boost::system::error_code ec, int number) {
            if (ec) return;
            if (self->stopping)
                std::_Exit(128 + number); // asked twice: the guests end by themselves, the janitor sweeps
            self->stop(number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP");
            self->wait_signal();
        });
    }

    void watch_parent() {
        if (parent <= 1) return; // started by init, or already alone
        parent_timer.expires_after(parent_check_every);
        parent_timer.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (ec) return;
            if (::getppid() != self->parent) return self->stop("the parent's death");
            self->watch_parent();
        });
    }
};

StopWatch::StopWatch(asio::io_context& loop, OnStop on_stop, bool with_parent)
    : state_(std::make_shared<State>(loop, std::move(on_stop))) {
    state_->wait_signal();
    if (with_parent) state_->watch_parent();
}

StopWatch::~StopWatch() { end(); }

void StopWatch::end() {
    state_->signals.cancel();
    state_->parent_timer.cancel();
}

namespace {

// Tests ask for less, to see how far off the bound is.
std::chrono::milliseconds most_turn() {
    const char* wanted = std::getenv("CORDON_TEST_TURN_MS");
    const int most = wanted ? std::atoi(wanted) : 0;
    return most > 0 ? std::chrono::milliseconds(most) : base::most_turn;
}

void report_turn(std::chrono::milliseconds took, const char* what) {
    const std::string line =
        "a turn of the loop took " + std::to_string(took.count()) + " ms: " + (*what ? what : "not named");
    log_info(base::Shown::line(line));
    const char* file = std::getenv("CORDON_TEST_TURNS");
    if (file) std::ofstream(file, std::ios::app) << line + '\n';
}

} // namespace

void run_turn(asio::io_context& loop) {
    static base::Turns turns(report_turn, most_turn());
    try {
        turns.run_one(loop);
    } catch (const std::bad_alloc&) { // a handler that cannot answer for it; its parts are gone with it
        log_error("out of memory: something that was under way has been dropped");
    }
}

int run_to_end(asio::io_context& loop, asio::awaitable<int> work, StopWatch* watch) {
    std::optional<int> status;
    std::exception_ptr failure;
    auto done = [&](std::exception_ptr e, int value) {
        failure = e;
        status = value;
    };
    asio::co_spawn(loop, std::move(work), std::move(done));
    while (!status) run_turn(loop);
    if (watch) watch->end();
    loop.run_for(1s);
    if (failure) std::rethrow_exception(failure);
    if (!loop.stopped()) { // something waits for an engine that does not answer, and holds on to parts that
                           // would now be destroyed under it
        std::fflush(nullptr);
        std::_Exit(*status);
    }
    return *status;
}

} // namespace cli
