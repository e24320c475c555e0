#include "src/base/gate.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <list>

namespace base {
namespace asio = boost::asio;

struct Gate::State {
    State(asio::any_io_executor e, std::size_t places) : executor(std::move(e)), free(places) {}

    // Who waits; lives in the frame of enter().
    struct Waiter {
        asio::steady_timer turn;
        bool let_in = false;
    };

    asio::any_io_executor executor;
    std::size_t free;
    std::list<Waiter*> line{};

    void next() {
        ++free;
        if (line.empty()) return;
        Waiter* first = line.front();
        line.pop_front();
        --free;
        first->let_in = true;
        first->turn.cancel(); // posts: nobody is resumed in here
    }
};

Gate::Gate(asio::any_io_executor executor, std::size_t places)
    : state_(std::make_shared<State>(std::move(executor), places)) {}

Gate::~Gate() = default;

Gate::Place& Gate::Place::operator=(Place&& other) noexcept {
    leave();
    state_ = std::move(other.state_);
    return *this;
}

void Gate::Place::leave() noexcept {
    if (const auto state = std::move(state_)) state->next();
    state_ = nullptr;
}

asio::awaitable<Gate::Place> Gate::enter() {
    const auto state = state_;
    if (state->free > 0) {
        --state->free;
        co_return Place(state);
    }
    State::Waiter waiter{asio::steady_timer(state->executor, asio::steady_timer::time_point::max())};
    struct Entry { // out of the line again, also when cancelled or destroyed
        State& state;
        State::Waiter& waiter;
        ~Entry() { state.line.remove(&waiter); }
    } entry{*state, waiter};
    state->line.push_back(&waiter);
    boost::system::error_code ignored;
    co_await waiter.turn.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    Place place(waiter.let_in ? state : nullptr);
    const asio::cancellation_state now = co_await asio::this_coro::cancellation_state;
    if (!waiter.let_in || now.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted); // the place goes to the next
    co_return place;
}

std::size_t Gate::waiting() const { return state_->line.size(); }

} // namespace base
