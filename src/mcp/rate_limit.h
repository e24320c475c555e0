#pragma once
#include <algorithm>
#include <chrono>

namespace mcp {

/// A bucket of tokens that refills: so many at once, so many a second. Pure.
class RateLimit {
public:
    using Clock = std::chrono::steady_clock;

    /// Full at its first use.
    RateLimit(double per_second, double burst) : per_second_(per_second), burst_(burst), left_(burst) {}
    /// Empty at `since`.
    RateLimit(double per_second, double burst, Clock::time_point since)
        : per_second_(per_second), burst_(burst), left_(0), last_(since) {}

    /// Takes one; false where none is left.
    bool take(Clock::time_point now) {
        const std::chrono::duration<double> passed = now - last_;
        left_ =
            last_ == Clock::time_point() ? burst_ : std::min(burst_, left_ + passed.count() * per_second_);
        last_ = now;
        if (left_ < 1) return false;
        left_ -= 1;
        return true;
    }

private:
    double per_second_;
    double burst_;
    double left_;
    Clock::time_point last_{};
};

} // namespace mcp
