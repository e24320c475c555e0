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
    paused_at_ = Clock::now();
    arm();
    return true;
}

bool RunClock::resume() {
    if (pauses_ == 0 || --pauses_ > 0) return false;
    deadline_ = std::min(deadline_ + (Clock::now() - paused_at_), last_deadline_);
    arm();
    return true;
}

void RunClock::stop() {
    *live_ = false;
    timer_.cancel();
}

void RunClock::arm() {
    timer_.expires_at(pauses_ > 0 ? last_deadline_ : deadline_);
    // a handler already queued carries success although it was replaced: `live` and the time itself decide
    timer_.async_wait([this, live = live_](boost::system::error_code ec) {
        if (ec || !*live || timer_.expiry() > Clock::now()) return;
        *live = false;
        expired_();
    });
}

} // namespace sandbox
