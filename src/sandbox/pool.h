#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "runtime_api/error.h"
#include "src/sandbox/demand.h"
#include "src/sandbox/sandbox.h"

namespace sandbox {

/// Containers that are ready before they are asked for, each used once; and the bound on how many there are
/// at all. On the loop's thread.
///
/// How many are kept ready follows what is asked: `warm`, or as many as calls were twice seen to want at once
/// (Demand). What nobody used for the idle time is let go.
///
/// A container is made by a coroutine of its own, never by the call that wants it: a call that is cancelled
/// leaves no half-made container, but a warm one for the next. One that died while it waited (an engine
/// restarted, somebody removed it) is noticed at check-out.
class Pool {
public:
    struct Options {
        int warm = 1;  ///< Kept ready at least, from the first use on. 0: none, whatever is asked.
        int most = 16; ///< At once: warm, in use, being made, and sessions.
        std::chrono::seconds idle{300};                ///< A warm one unused so long is let go.
        std::chrono::milliseconds wait_limit{120'000}; ///< A call waits at most so long for its turn.
        /// How many warm ones the engine's host has memory for; asked each time. Empty: any number.
        std::function<int()> most_warm{};
    };

    /// Gives what containers are made with; called for each, so that it can find the engine anew after a
    /// failure, and make sure of the image.
    using WorkshopSource = std::function<boost::asio::awaitable<Workshop>()>;

    /// Told of each container that could not be made for want of an engine or an image, before the caller is:
    /// so that the source can look for them anew. True: worth another try at once.
    using FailureSink = std::function<bool(const runtime_api::Error& error)>;

    Pool(boost::asio::any_io_executor executor, Options options, WorkshopSource source,
         FailureSink on_failure);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// A container in use; its destruction ends the container and makes room.
    class Lease {
    public:
        Lease() = default;
        Lease(Lease&&) noexcept = default;
        Lease& operator=(Lease&&) noexcept;
        ~Lease();
        Sandbox* operator->() const { return sandbox_.get(); }
        Sandbox& operator*() const { return *sandbox_; }
        explicit operator bool() const { return sandbox_ != nullptr; }
        void reset();

    private:
        friend class Pool;
        std::unique_ptr<Sandbox> sandbox_;
        std::shared_ptr<void> room_; ///< Gives its place back when destroyed.
    };

    /// A ready container, warm or new, in the order of asking. Throws what Sandbox::open and the source
    /// throw; jsonrpc::Error(timed_out) when no place came free. Cancellable (terminal).
    boost::asio::awaitable<Lease> acquire();

    /// A first call may come soon: fills the pool as its first use would. One that cannot be made is nobody's
    /// failure.
    void foresee();

    /// Called when somebody waits and all places are taken: may free one (end a session that is idle). True
    /// if it did.
    void on_pressure(std::function<bool()> make_room);

    /// How long a call waits for its turn, from now on.
    void set_wait_limit(std::chrono::milliseconds limit);

    /// Lets all warm ones go and makes no new ones; those in use end with their leases.
    void close();

    int in_use() const;
    int warm() const;
    int making() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace sandbox
