#include "src/base/budget_state.h"

namespace base {
namespace asio = boost::asio;

asio::awaitable<void> Budget::change() {
    const auto state = state_;
    co_await state->changed.wait(std::chrono::steady_clock::time_point::max());
}

} // namespace base
