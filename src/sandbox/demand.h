#pragma once
#include <chrono>
#include <cstddef>
#include <deque>

namespace sandbox {

/// How many containers calls want at once, learned from what they asked for: the pool keeps so many warm.
/// Pure: who uses it gives the time.
///
/// A burst is what is asked for before a replacement could be there: all calls that come within the time that
/// one container takes to be made, while those before them have not ended. Calls one after the other are
/// bursts of one, however fast. What was seen twice within the memory is foreseen.
class Demand {
public:
    using Clock = std::chrono::steady_clock;

    /// `remembered`: how long a burst counts.
    explicit Demand(std::chrono::milliseconds remembered) : remembered_(remembered) {}

    /// A call asks for a container.
    void asked(Clock::time_point now);
    /// A call that asked at `since` has ended, or gives up.
    void ended(Clock::time_point since);
    /// A container took so long to be made.
    void made_in(Clock::duration time);

    /// Containers that are likely to be wanted at once: the second largest burst that is remembered; 0 where
    /// there were not two.
    int foreseen(Clock::time_point now);

private:
    struct Burst {
        Clock::time_point last{};
        int size = 0;
    };
    void forget(Clock::time_point now);

    static constexpr std::size_t most_bursts = 32;
    static constexpr std::size_t most_calls = 1024; ///< That are looked at; more make no larger burst.

    std::chrono::milliseconds remembered_;
    Clock::duration lead_ = std::chrono::milliseconds(300); ///< A container is made in, about.
    std::deque<Clock::time_point> asking_;                  ///< Calls of late that have not ended.
    std::deque<Burst> bursts_;                              ///< The last one may go on.
};

} // namespace sandbox
