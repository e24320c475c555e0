#pragma once
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/jsonrpc/peer.h"
#include "src/sandbox/guest_channel.h"
#include "src/sandbox/guest_notes.h"
#include "src/sandbox/run_clock.h"
#include "src/sandbox/sandbox.h"

namespace sandbox {

/// What sandbox.cc (executions) and sandbox_start.cc (from create to attested) share. Held by whatever waits
/// for a part of it; once its Sandbox is gone it is closed.
struct Sandbox::State : std::enable_shared_from_this<Sandbox::State> {
    using Clock = std::chrono::steady_clock;

    explicit State(Workshop w);
    ~State() { close(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// Ends the guest and has the container removed. Idempotent.
    void close();

    /// From create to a guest that waits, attested; as Sandbox::open.
    boost::asio::awaitable<void> begin();

    /// After the attach stream has ended on its own: what the engine and the guest's stderr say.
    boost::asio::awaitable<std::string> why_it_ended();

    Workshop workshop;
    std::string name;
    runtime_api::ContainerSpec spec;
    Clock::time_point born = Clock::now();
    std::unique_ptr<GuestChannel> channel;
    std::unique_ptr<jsonrpc::Peer> peer;
    GuestNotes notes;
    std::vector<Finding> findings;
    std::unique_ptr<RunClock> clock; ///< Of the latest execution.
    bool deadline_passed = false;
    std::string ended_by{};  ///< The limit by which the host ended the execution; else empty.
    std::string ended_why{}; ///< And what happened.
    bool used_up = false;
    bool frozen = false; ///< By us, through the engine.
    bool removed = false;

private:
    boost::asio::awaitable<void> make_container();
    boost::asio::awaitable<void> try_to_make();
    void converse();
    boost::asio::awaitable<void> wait_for_ready();
    boost::asio::awaitable<void> look();
    boost::asio::awaitable<void> attest();
    void check_image();
    boost::asio::awaitable<std::string> on_request(jsonrpc::Message message);

    // shared with the coroutine that waits on it, which ends when this is cancelled by close()
    std::shared_ptr<boost::asio::steady_timer> heartbeat_;
    boost::asio::steady_timer ready_event_;             ///< cancel() says: ready came, or the channel ended.
    std::vector<std::string> warnings_{};               ///< The engine's, at create.
    std::optional<runtime_api::ContainerState> seen_{}; ///< Its view of the container that was started.
    std::exception_ptr unseen_{};                       ///< Why it has none.
    bool looked_ = false;
    boost::asio::steady_timer looked_event_; ///< cancel() says: looked.
    ContainerUsers::User user_{};            ///< Taken until this is gone.
    bool uncertain_ = false;                 ///< A create whose answer did not come.
};

} // namespace sandbox
