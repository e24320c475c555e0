#pragma once
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "src/jsonrpc/channel.h"
#include "src/mcp/client/spec.h"

namespace mcp {

/// A way to one upstream server. Besides lines it knows what the transport needs and the protocol decides.
class ClientChannel : public jsonrpc::Channel {
public:
    /// What was agreed on; later messages are sent accordingly.
    virtual void agreed(Era, const std::string& /*version*/) {}

    /// The tools that the server has now.
    virtual void set_tools(const std::vector<UpstreamTool>&) {}

    /// A call of ours (its id as JSON text) is given up. True where the server learns it from that, so that
    /// no notification need be sent.
    virtual bool abandon(const std::string& /*id*/) { return false; }

    /// The session that was agreed on is no more; a new one may be asked for by `initialize` on this channel.
    virtual bool session_lost() const { return false; }

    /// How long a message of the server may be that begins so, where the way knows that before it has read
    /// all of it.
    virtual void bound_by(jsonrpc::LineSplitter::BoundOf) {}

    /// Waits until a message of that size may be written without crowding out others; false where there was
    /// no room until then. Small messages need not ask.
    virtual boost::asio::awaitable<bool> room(std::size_t /*bytes*/,
                                              std::chrono::steady_clock::time_point /*until*/) {
        co_return true;
    }

    /// Starts what a session needs beyond calls (the stream on which the server speaks first).
    virtual void session_began() {}

    /// False: there never was a server (no such command); asking again is useless.
    virtual bool ever_ran() const { return true; }

    /// What the server last wrote to its log. For the user alone.
    virtual std::string log_tail() const { return {}; }

    /// Told what the server says besides messages: bodies of HTTP errors. For the user alone. Must not throw.
    virtual void words_to(std::function<void(const std::string&)> /*sink*/) {}

    /// Ends the server or the session in good order. Bounded by a small multiple of `grace`.
    virtual boost::asio::awaitable<void> stop(std::chrono::milliseconds grace) = 0;
};

} // namespace mcp
