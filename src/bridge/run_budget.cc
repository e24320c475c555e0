#include "src/bridge/run_budget.h"

#include <algorithm>

namespace bridge {
using namespace std::chrono_literals;

RunBudget::RunBudget(std::chrono::milliseconds time, End end)
    : most_(std::max<std::chrono::nanoseconds>(time / 2, 5s)), end_(std::move(end)) {}

void RunBudget::spend(std::chrono::nanoseconds cpu) {
    const bool was_over = spent_ > most_;
    spent_ += cpu;
    if (was_over || spent_ <= most_ || !end_) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most_).count();
    end_("host_cpu", "the run was ended: its calls used " + std::to_string(seconds) +
                         " s of the host's CPU time, which is its limit");
}

} // namespace bridge
