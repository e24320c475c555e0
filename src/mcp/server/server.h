#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "src/base/workers.h"
#include "src/jsonrpc/channel.h"
#include "src/mcp/server/core_methods.h"

namespace mcp {

/// An MCP server for the one client at the other end of a channel (stdio): initialize and its kin for
/// versions 2024-11-05 to 2025-11-25, server/discover and per-request `_meta` for 2026-07-28, either or both.
/// On the loop's thread.
class Server {
public:
    struct Options {
        ServerDescription description{};
        std::string client = "stdio";                  ///< As in CallContext.
        std::size_t most_line_bytes = 8 << 20;         ///< A longer answer is replaced by an error.
        std::chrono::milliseconds drain_limit{10'000}; ///< How long run() waits for what it cancelled.
        base::Workers* workers =
            nullptr; ///< For large messages; outlives the server. Null: read on the loop.
        std::function<void(MethodTable&)> extend{}; ///< Adds methods that Service does not know.
        std::function<void(const std::string&)>
            log{}; ///< One line for stderr: what was wrong with a message.
    };

    /// Channel and service must outlive this.
    Server(boost::asio::any_io_executor executor, jsonrpc::Channel& channel, Service& service,
           Options options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Serves until the channel ends (end of input, or stop), then cancels what runs, tells the service that
    /// the client has gone, and returns when all has ended or drain_limit is over. Once.
    boost::asio::awaitable<void> run();

    /// Ends subscriptions with their answers, cancels the rest, then closes the channel, so that run()
    /// returns. May be called twice.
    void stop();

    /// For what subscribers want to know; see Subscriptions::publish.
    Subscriptions& subscriptions();

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace mcp
