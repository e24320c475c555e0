#pragma once
#include <memory>

#include "src/base/budget.h"
#include "src/base/event.h"

namespace base {

/// What budget.cc counts and budget_wait.cc waits for: apart, since clang 14 cannot compile coroutines for
/// the fuzzers, which count as well.
struct Budget::State {
    State(boost::asio::any_io_executor executor, std::size_t bound, std::shared_ptr<State> w)
        : most(bound), whole(std::move(w)), changed(std::move(executor)) {}

    std::size_t most;
    std::shared_ptr<State> whole;
    Event changed;
    std::size_t used = 0;

    void add(std::size_t bytes) {
        used += bytes;
        if (whole) whole->add(bytes);
    }

    void sub(std::size_t bytes) {
        used -= bytes;
        changed.notify();
        if (whole) whole->sub(bytes);
    }
};

} // namespace base
