#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/workers.h"
#include "src/jsonrpc/message.h"
#include "src/mcp/client/channel.h"
#include "src/mcp/client/spec.h"

namespace mcp {

/// One life of one upstream server, of either era, over any transport. It starts once; when the server is
/// gone, it stays gone: make another Client to start it again (with `next_protocol` in the spec, so that what
/// was learned is not asked again). On the loop's thread. May be destroyed while coroutines wait in it; they
/// then fail with connection_closed.
class Client {
public:
    enum class State { not_started, starting, ready, failed, stopped };

    struct Options {
        /// The server's tools are others than they were. Must not throw.
        std::function<void()> on_tools_changed{};
        /// It was ready, and has ended by itself: failure() says how. Must not throw.
        std::function<void()> on_ended{};
        /// A line for the log, about something odd that was got over. Must not throw.
        std::function<void(const std::string&)> log{};
        /// The server's own words, where something of it failed: the end of its stderr, the body of an HTTP
        /// error. For the log: they may hold what it was given, and no error that goes to code has them. At
        /// most ten at once and one a second. Must not throw.
        std::function<void(const std::string&)> on_words{};
        base::Workers* workers =
            nullptr; ///< For large messages; outlives the client. Null: read on the loop.
        /// Makes the way to the server; for tests. Empty: by the spec's transport.
        std::function<std::unique_ptr<ClientChannel>(const ClientSpec&)> connect{};
    };

    Client(boost::asio::any_io_executor executor, ClientSpec spec, Options options);
    ~Client(); ///< Kills the server at once if it still runs; see stop().
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Starts the server, agrees on a version and lists its tools; returns when it is ready, at once if it is
    /// already. Any number of callers may wait; one that is cancelled does not disturb the start. Throws
    /// jsonrpc::Error (timed_out, connection_closed or what the server answered), now and at each later call.
    boost::asio::awaitable<void> start();

    /// Calls a tool; the server must be ready. `arguments`: JSON text of an object. result() of what it gives
    /// is the CallToolResult as the server wrote it, `isError` or not. Throws jsonrpc::Error: what the server
    /// answered, or timed_out, connection_closed, too_large, internal_error (a result that is none, a
    /// question back to us); jsonrpc::NotReceived where the server ended before it read a byte of the call.
    /// Cancelling it (terminal) or its limit tells the server.
    boost::asio::awaitable<jsonrpc::Message> call_tool(std::string tool, std::string arguments,
                                                       CallOptions options);

    /// Ends the server in good order: see ChildProcess::stop. Calls that wait fail. May be called twice.
    boost::asio::awaitable<void> stop(std::chrono::milliseconds grace);

    State state() const;
    const ClientSpec& spec() const;
    const std::string& failure() const; ///< Why it failed; else "". Fit for code.
    const std::string& words() const; ///< The last that Options::on_words would be told. For the user alone.
    const std::vector<UpstreamTool>& tools() const; ///< In the server's order. Changes with on_tools_changed.
    const ServerFacts& facts() const;               ///< Once ready.
    const std::vector<std::string>& warnings() const; ///< What was odd, each once, at most 50.
    /// How those begin that tell of messages which were taken though they are not as they should be.
    static constexpr std::string_view mended = "its messages are not as they should be: ";
    std::string log_tail() const;  ///< The last of its stderr.
    std::string transport() const; ///< "stdio", "http" or "sse": the one in use.
    std::size_t calls() const;     ///< That wait for an answer.

    /// What to put into the spec of the next life.
    ClientSpec::Protocol next_protocol() const;

    struct Life; ///< Of client_life.h; shared with the coroutines that work for it.

private:
    std::shared_ptr<Life> life_;
};

const char* to_string(Client::State state);

} // namespace mcp
