#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>

namespace base {

/// Lets a few in at a time, in the order of asking. On the loop's thread.
class Gate {
    struct State;

public:
    Gate(boost::asio::any_io_executor executor, std::size_t places);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    /// A place that is taken; its destruction lets the next one in. May outlive the Gate.
    class Place {
    public:
        Place() = default;
        explicit Place(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Place(Place&& other) noexcept : state_(std::move(other.state_)) {}
        Place& operator=(Place&& other) noexcept;
        ~Place() { leave(); }

    private:
        void leave() noexcept;
        std::shared_ptr<State> state_{};
    };

    /// Waits for a place. Throws boost::system::system_error(operation_aborted) when cancelled (terminal).
    /// Has no limit of its own: who waits has a deadline.
    boost::asio::awaitable<Place> enter();

    std::size_t waiting() const;

private:
    std::shared_ptr<State> state_;
};

} // namespace base
