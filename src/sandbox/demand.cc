#include "src/sandbox/demand.h"

#include <algorithm>

namespace sandbox {
using namespace std::chrono_literals;

void Demand::asked(Clock::time_point now) {
    while (!asking_.empty() && (asking_.front() + lead_ < now || asking_.size() >= most_calls))
        asking_.pop_front();
    asking_.push_back(now);
    const bool goes_on = !bursts_.empty() && now <= bursts_.back().last + lead_;
    if (!goes_on) bursts_.push_back(Burst{});
    bursts_.back().last = now;
    bursts_.back().size = std::max(bursts_.back().size, static_cast<int>(asking_.size()));
    forget(now);
}

void Demand::ended(Clock::time_point since) {
    const auto found = std::find(asking_.begin(), asking_.end(), since);
    if (found != asking_.end()) asking_.erase(found);
}

void Demand::made_in(Clock::duration time) {
    lead_ = std::clamp<Clock::duration>((3 * lead_ + time) / 4, 100ms, 5s);
}

void Demand::forget(Clock::time_point now) {
    while (!bursts_.empty() && (bursts_.front().last + remembered_ < now || bursts_.size() > most_bursts))
        bursts_.pop_front();
}

int Demand::foreseen(Clock::time_point now) {
    forget(now);
    int first = 0, second = 0;
    for (const Burst& each : bursts_) {
        second = std::max(second, std::min(first, each.size));
        first = std::max(first, each.size);
    }
    return second;
}

} // namespace sandbox
