#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>

namespace base {

/// Bytes that one peer has in flight: read from it and not yet dealt with, or waiting to be written to it.
/// Past its bound a peer is not read any more, until some are done with. Budgets of one process share a
/// `whole`, so that the sum is known too. On the loop's thread.
class Budget {
    struct State;

public:
    /// `most`: where full() begins. A single message may exceed it: it is read to its end.
    explicit Budget(boost::asio::any_io_executor executor, std::size_t most, Budget* whole = nullptr);
    ~Budget();
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    /// Bytes that are counted as long as this lives. May outlive the Budget.
    class Share {
    public:
        Share() = default;
        Share(std::shared_ptr<State> state, std::size_t bytes);
        Share(Share&& other) noexcept;
        Share& operator=(Share&& other) noexcept;
        ~Share() { give_back(); }
        std::size_t bytes() const { return bytes_; }

    private:
        void give_back() noexcept;
        std::shared_ptr<State> state_{};
        std::size_t bytes_ = 0;
    };

    Share take(std::size_t bytes);
    std::size_t used() const;
    bool full() const;

    /// Waits until bytes are given back, or wake(); who waits looks again. Cancellable (terminal). Has no
    /// limit of its own.
    boost::asio::awaitable<void> change();
    void wake();

private:
    std::shared_ptr<State> state_;
};

} // namespace base
