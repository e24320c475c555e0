#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <optional>

namespace runtime_api {

/// Runs body, then cleanup, whatever became of body: a value, an exception or a cancellation. Cleanup itself
/// cannot be cancelled, so it must bound its own time. If both fail, body's exception wins. Both are named
/// locals of the caller; body returns a value.
template <class Body, class Cleanup> auto with_cleanup(Body& body, Cleanup& cleanup) -> decltype(body()) {
    namespace asio = boost::asio;
    std::optional<typename decltype(body())::value_type> value;
    std::exception_ptr failure;
    try {
        value = co_await body();
    } catch (...) {
        failure = std::current_exception(); // co_await is not allowed in a handler
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    try {
        co_await cleanup();
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    co_await asio::this_coro::reset_cancellation_state(
        asio::enable_terminal_cancellation()); // else it stays off for our caller
    if (failure) std::rethrow_exception(failure);
    co_return std::move(*value);
}

} // namespace runtime_api
