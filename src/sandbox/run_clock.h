#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace sandbox {

/// The host's own deadline of an execution: its time plus a small grace, not counting pauses (an upstream
/// server is being started), which together count at most the run's own time. The guest keeps the same clock;
/// this one is for a guest that does not.
///
/// While it is held (a person is asked) it stands still altogether: neither the time nor the pauses pass. Who
/// holds it bounds that.
class RunClock {
public:
    using Clock = std::chrono::steady_clock;

    /// `expired` is called once, on the loop, when the time is over; never after stop().
    RunClock(const boost::asio::any_io_executor& executor, std::chrono::milliseconds time,
             std::chrono::milliseconds grace, std::function<void()> expired);
    ~RunClock();
    RunClock(const RunClock&) = delete;
    RunClock& operator=(const RunClock&) = delete;

    /// Nested: the clock runs again when each pause has been resumed. True where this call stopped (started)
    /// it.
    bool pause();
    bool resume();
    /// Not nested.
    void hold();
    void release();
    void stop();

private:
    void arm();
    Clock::time_point now() const; ///< Real time less the time that it was held.

    boost::asio::steady_timer timer_;
    std::function<void()> expired_;
    std::shared_ptr<bool> live_ = std::make_shared<bool>(true);
    // in the time of now()
    Clock::time_point deadline_;
    Clock::time_point last_deadline_; ///< However long the pauses.
    Clock::time_point paused_at_{};
    int pauses_ = 0;
    bool held_ = false;
    Clock::time_point held_at_{};
    Clock::duration held_for_{};
};

} // namespace sandbox
