#include "src/base/budget.h"

#include <utility>

#include "src/base/budget_state.h"

namespace base {
namespace asio = boost::asio;

Budget::Budget(asio::any_io_executor executor, std::size_t most, Budget* whole)
    : state_(std::make_shared<State>(std::move(executor), most, whole ? whole->state_ : nullptr)) {}

Budget::~Budget() = default;

Budget::Share::Share(std::shared_ptr<State> state, std::size_t bytes)
    : state_(std::move(state)), bytes_(bytes) {
    state_->add(bytes_);
}

Budget::Share::Share(Share&& other) noexcept
    : state_(std::move(other.state_)), bytes_(std::exchange(other.bytes_, 0)) {}

Budget::Share& Budget::Share::operator=(Share&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    state_ = std::move(other.state_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
}

void Budget::Share::give_back() noexcept {
    if (const auto state = std::exchange(state_, nullptr)) state->sub(bytes_);
    bytes_ = 0;
}

Budget::Share Budget::take(std::size_t bytes) { return Share(state_, bytes); }
std::size_t Budget::used() const { return state_->used; }
bool Budget::full() const { return state_->used > state_->most; }

void Budget::wake() { state_->changed.notify(); }

} // namespace base
