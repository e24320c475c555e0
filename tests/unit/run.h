#pragma once
#include <doctest/doctest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>

/// Runs a coroutine on a loop until it has ended, and gives what it gave; fails the test if that takes more
/// than half a minute. Other work stays on the loop.
template <class T> T run(boost::asio::io_context& loop, boost::asio::awaitable<T> work) {
    std::optional<T> result;
    std::exception_ptr failure;
    boost::asio::co_spawn(loop, std::move(work), [&](std::exception_ptr e, T value) {
        failure = e;
        if (!e) result.emplace(std::move(value));
    });
    loop.restart();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!result && !failure && std::chrono::steady_clock::now() < end && loop.run_one_until(end) > 0) {
    }
    if (failure) std::rethrow_exception(failure);
    REQUIRE_MESSAGE(result.has_value(), "the coroutine did not end");
    return std::move(*result);
}
