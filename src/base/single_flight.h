#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "src/base/event.h"

namespace base {

/// One piece of work that many wait for: whoever asks first starts it, the others share what comes of it; a
/// failure is told to all that waited and tried anew by the next. The work is a coroutine of its own: one who
/// waits and is cancelled does not end it. On the loop's thread.
template <class T> class SingleFlight {
public:
    explicit SingleFlight(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    bool flying() const { return flight_ != nullptr; }

    /// Ends the work that is under way, if there is any: those who wait are told what the work makes of it.
    void cancel() {
        const std::shared_ptr<Flight> flight = flight_; // which may land meanwhile
        if (flight) flight->stop.emit(boost::asio::cancellation_type::terminal);
    }

    /// What `make` gives, or what the flight gives that is under way. T is copied to each: make it a pointer
    /// or small. Throws boost::system::system_error(operation_aborted) when cancelled.
    boost::asio::awaitable<T> join(std::function<boost::asio::awaitable<T>()> make) {
        if (!flight_) start(std::move(make));
        return wait(flight_);
    }

private:
    struct Flight {
        explicit Flight(const boost::asio::any_io_executor& executor) : landed(executor) {}
        Event landed;
        boost::asio::cancellation_signal stop{};
        std::optional<T> value{};
        std::exception_ptr failure{};
    };

    void start(std::function<boost::asio::awaitable<T>()> make) {
        const auto flight = std::make_shared<Flight>(executor_);
        flight_ = flight;
        auto done = [this, flight, live = std::weak_ptr<int>(live_)](std::exception_ptr failure, T value) {
            flight->failure = failure;
            if (!failure) flight->value = std::move(value);
            flight->landed.notify();
            if (!live.expired()) flight_ = nullptr;
        };
        boost::asio::co_spawn(executor_, run(std::move(make)),
                              boost::asio::bind_cancellation_slot(flight->stop.slot(), std::move(done)));
    }

    // The function object must live as long as its coroutine, which may use what it captured.
    static boost::asio::awaitable<T> run(std::function<boost::asio::awaitable<T>()> make) {
        co_return co_await make();
    }

    static boost::asio::awaitable<T> wait(std::shared_ptr<Flight> flight) {
        while (!flight->value && !flight->failure)
            co_await flight->landed.wait(std::chrono::steady_clock::time_point::max());
        if (flight->failure) std::rethrow_exception(flight->failure);
        co_return *flight->value;
    }

    boost::asio::any_io_executor executor_;
    std::shared_ptr<Flight> flight_;
    std::shared_ptr<int> live_ = std::make_shared<int>(0);
};

} // namespace base
