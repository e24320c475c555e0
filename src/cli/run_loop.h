#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>

namespace cli {

/// What a signal, or the death of our parent, does: called once, on the loop, with a word for the log
/// ("SIGTERM").
using OnStop = std::function<void(const char* why)>;

/// Watches SIGINT, SIGTERM and SIGHUP, and our parent's life (unless `with_parent` is false), from
/// construction to destruction. A second signal ends the process at once.
class StopWatch {
public:
    StopWatch(boost::asio::io_context& loop, OnStop on_stop, bool with_parent = true);
    ~StopWatch();
    void end(); ///< Watches no longer. May be called twice.
    StopWatch(const StopWatch&) = delete;
    StopWatch& operator=(const StopWatch&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// Runs one turn of the loop. A turn that takes too long is logged, with what it did; where
/// CORDON_TEST_TURNS names a file, a line is added to that as well, for tests, which may lower
/// what is too long by CORDON_TEST_TURN_MS. A want of memory ends what the
/// turn was for, not the process.
void run_turn(boost::asio::io_context& loop);

/// Runs `work` on the loop to its end and returns what it gives; then lets what is still queued come to its
/// end, at most a second: what waits longer (for an engine that does not answer) is left behind by ending the
/// process. `watch`, if any, ends with the work. Rethrows what work throws.
int run_to_end(boost::asio::io_context& loop, boost::asio::awaitable<int> work, StopWatch* watch = nullptr);

} // namespace cli
