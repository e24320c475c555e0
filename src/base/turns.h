#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>

namespace base {

/// A turn of the loop is what runs between two waits: one handler. Everybody waits while it runs, so none may
/// take longer than this.
inline constexpr std::chrono::milliseconds most_turn{50};

/// CPU time of the calling thread so far. It stands still while the thread waits, so a busy machine does not
/// make it longer.
std::chrono::nanoseconds thread_cpu_time();

/// Names what the present turn does ("a guest's message"), for the report on one that took too long. `what`
/// must be a literal. The scope that used most CPU names the turn.
class Doing {
public:
    explicit Doing(const char* what);
    ~Doing();
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

private:
    const char* what_;
    std::chrono::nanoseconds began_;
};

/// Says what the present turn does from here on, where no scope says it: for coroutines, in which a scope
/// would last over waits. `what` must be a literal.
void now_doing(const char* what);

/// The calling thread runs a turn of its loop.
bool in_a_turn() noexcept;

/// Runs turns of a loop and measures each. On the loop's thread.
class Turns {
public:
    /// Told of a turn that took longer than it may: its CPU time, and what it did ("" where nothing was
    /// said). Must not throw.
    using Report = std::function<void(std::chrono::milliseconds took, const char* what)>;

    explicit Turns(Report report, std::chrono::milliseconds most = most_turn)
        : report_(std::move(report)), most_(most) {}

    /// Waits for a handler and runs it. False where the loop has nothing left.
    bool run_one(boost::asio::io_context& loop);

private:
    Report report_;
    std::chrono::milliseconds most_;
};

/// Lets others have a turn, where the present one has taken some milliseconds; else returns at once. For
/// loops over what a peer sent. Outside of Turns::run_one it never yields.
boost::asio::awaitable<void> yield_if_long();

} // namespace base
