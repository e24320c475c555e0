#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace bridge {

/// What one run may cost the host in CPU time: reading what its code sends, checking arguments, searching,
/// answering. Measured where it is spent. On the loop's thread.
class RunBudget {
public:
    /// Called once, when the budget is used up, with the limit's name and a sentence on it. Must not throw.
    using End = std::function<void(const char* limit, std::string why)>;

    /// `time`: the run's own. A run may use half of it, and five seconds in any case: one thread serves all.
    RunBudget(std::chrono::milliseconds time, End end);

    void spend(std::chrono::nanoseconds cpu);
    std::chrono::nanoseconds spent() const { return spent_; }

private:
    std::chrono::nanoseconds most_;
    std::chrono::nanoseconds spent_{0};
    End end_;
};

} // namespace bridge
