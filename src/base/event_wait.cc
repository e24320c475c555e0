#include "src/base/event.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace base {
namespace asio = boost::asio;

asio::awaitable<void> Event::wait(std::chrono::steady_clock::time_point until) {
    asio::steady_timer timer(executor_, until);
    struct Entry {
        std::shared_ptr<Waiting> list;
        asio::steady_timer* timer;
        ~Entry() { list->erase(timer); }
    } entry{waiting_, &timer};
    entry.list->insert(&timer);
    boost::system::error_code ignored; // notify() cancels the timer
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

} // namespace base
