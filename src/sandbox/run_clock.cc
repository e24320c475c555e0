#include "src/sandbox/run_clock.h"

#include <algorithm>

namespace sandbox {

RunClock::RunClock(const boost::asio::any_io_executor& executor, std::chrono::milliseconds time,
                   std::chrono::milliseconds grace, std::function<void()> expired)
    : timer_(executor), expired_(std::move(expired)), deadline_(Clock::now() + time + grace),
      last_deadline_(deadline_ + time) {
    arm();
}

RunClock::~RunClock() { stop(); }

bool RunClock::pause() {
    if (pauses_++ > 0) return false;
    paused_at_ = now();
    arm();
    return true;
}

bool RunClock::resume() {
    if (pauses_ == 0 || --pauses_ > 0) return false;
    deadline_ = std::min(deadline_ + (now() - paused_at_), last_deadline_);
    arm();
    return true;
}

void RunClock::hold() {
    if (held_) return;
    held_at_ = Clock::now();
    held_ = true;
    arm();
}

void RunClock::release() {
    if (!held_) return;
    held_for_ += Clock::now() - held_at_;
    held_ = false;
    arm();
}

RunClock::Clock::time_point RunClock::now() const { return (held_ ? held_at_ : Clock::now()) - held_for_; }

void RunClock::stop() {
    *live_ = false;
    timer_.cancel();
}

void RunClock::arm() {
    if (!*live_) return;
    if (held_) {
        timer_.expires_at(Clock::time_point::max());
        return; // which cancels the wait
    }
    timer_.expires_at((pauses_ > 0 ? last_deadline_ : deadline_) + held_for_);
    // a handler already queued carries success although it was replaced: `live` and the time itself decide
    timer_.async_wait([this, live = live_](boost::system::error_code ec) {
        if (ec || !*live || timer_.expiry() > Clock::now()) return;
        *live = false;
        expired_();
    });
}

} // namespace sandbox
