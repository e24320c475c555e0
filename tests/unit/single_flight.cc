#include "src/base/single_flight.h"

#include <doctest/doctest.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <stdexcept>

namespace asio = boost::asio;

namespace {

/// Work that lands when it is cancelled, and not before.
asio::awaitable<int> endless(int* ended) {
    asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    boost::system::error_code ec;
    co_await never.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    ++*ended;
    throw std::runtime_error("the work was ended");
}

asio::awaitable<void> joins(base::SingleFlight<int>* flight, int* ended, std::string* told) {
    const auto make = [ended] { return endless(ended); };
    try {
        co_await flight->join(make);
    } catch (const std::runtime_error& e) {
        *told = e.what();
    }
}

} // namespace

TEST_CASE("SingleFlight: cancel() ends the work, and all that waited are told") {
    asio::io_context loop;
    base::SingleFlight<int> flight(loop.get_executor());
    flight.cancel(); // nothing is under way
    int ended = 0;
    std::string first;
    std::string second;
    asio::co_spawn(loop, joins(&flight, &ended, &first), asio::detached);
    asio::co_spawn(loop, joins(&flight, &ended, &second), asio::detached);
    loop.poll();
    REQUIRE(flight.flying());
    flight.cancel();
    flight.cancel();
    loop.run_for(std::chrono::seconds(5));
    CHECK(ended == 1);
    CHECK(first == "the work was ended");
    CHECK(second == "the work was ended");
    CHECK(!flight.flying());
}
