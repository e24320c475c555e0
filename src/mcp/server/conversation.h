#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "src/base/workers.h"
#include "src/jsonrpc/channel.h"
#include "src/mcp/server/method_table.h"
#include "src/mcp/server/results.h"

namespace mcp {

/// Answers the requests of one client that come over one channel: the whole of stdio, or one POST of HTTP.
/// Both eras, by request. On the loop's thread.
class Conversation {
public:
    struct Options {
        ServerInfo info{};
        std::string client = "client";                  ///< As in CallContext.
        std::shared_ptr<ServerSession> session{};       ///< Never null.
        std::shared_ptr<Subscriptions> subscriptions{}; ///< Never null.
        bool modern_only = false;                     ///< Requests without modern `_meta` are refused (HTTP).
        std::size_t most_line_bytes = 8 << 20;        ///< A longer answer is replaced by an error.
        std::size_t most_bytes_in_flight = 64 << 20;  ///< Of requests that run; more are refused.
        std::size_t most_in_flight = 512;             ///< Requests that run.
        std::chrono::milliseconds ask_limit{300'000}; ///< For answers of the client to what we ask it.
        std::int64_t first_id = 1;                    ///< Of what we ask it.
        base::Workers* workers = nullptr;             ///< For large messages; see jsonrpc::Peer::Options.
        std::function<void(const std::string&)>
            log{}; ///< One line for stderr: what was wrong with a message.
    };

    /// `channel` must outlive this, `methods` every request.
    Conversation(boost::asio::any_io_executor executor, jsonrpc::Channel& channel, const MethodTable& methods,
                 Options options);
    /// Cancels what runs.
    ~Conversation();
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    /// Reads and answers until the channel ends. Requests that run then go on.
    boost::asio::awaitable<void> run();

    /// Takes in one line that did not come by the channel.
    void receive(std::string line);
    /// The same for a message that has been read already.
    void receive(jsonrpc::Message message);
    /// The same for a line that may be large: then it is read on another thread.
    boost::asio::awaitable<void> read(std::string line);

    /// Throws what a request will be refused with, if it will be without a look at its own params: unknown
    /// method, `_meta`, version.
    void check(const jsonrpc::Message& request) const;

    /// The client reads no more of this: what it was asked fails, and nothing else is asked. What runs goes
    /// on.
    void end_questions();

    /// Stops what runs, without answers.
    void cancel_all();
    /// Waits until nothing runs; false where something still does after `limit`.
    boost::asio::awaitable<bool> drained_within(std::chrono::milliseconds limit);

    std::size_t in_flight() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace mcp
