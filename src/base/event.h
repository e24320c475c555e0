#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <set>

namespace base {

/// Lets coroutines wait until something has changed. It carries no value: who waits checks its condition
/// before and after, in a loop. On the loop's thread. May be destroyed while someone waits; that wait then
/// lasts to its own end.
class Event {
public:
    explicit Event(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// Wakes all who wait now. Nobody is resumed inside the call.
    void notify();

    /// Waits for the next notify, or until `until`. Throws boost::system::system_error(operation_aborted)
    /// when cancelled.
    boost::asio::awaitable<void> wait(std::chrono::steady_clock::time_point until);

private:
    using Waiting = std::set<boost::asio::steady_timer*>;

    boost::asio::any_io_executor executor_;
    std::shared_ptr<Waiting> waiting_ =
        std::make_shared<Waiting>(); // shared with those who wait: frames may outlive this
};

/// The end of a time that starts now; of a very long one, the end of time.
std::chrono::steady_clock::time_point after(std::chrono::milliseconds limit);

} // namespace base
