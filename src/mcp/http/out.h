#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/mcp/http/message.h"

namespace mcp {

/// The way back to the client of one HTTP request: either one reply, or a stream of pieces. Writing throws
/// boost::system::system_error where the client is gone or reads too slowly.
class HttpOut {
public:
    virtual ~HttpOut() = default;
    virtual boost::asio::awaitable<void> reply(HttpReply reply) = 0;
    virtual boost::asio::awaitable<void>
    open_stream(std::vector<std::pair<std::string, std::string>> headers) = 0;
    virtual boost::asio::awaitable<void> stream(std::string piece) = 0;
    virtual boost::asio::awaitable<void> end_stream() = 0;

    /// The client has closed the connection.
    virtual bool gone() const = 0;
    /// Calls `told`, once, when that happens; an empty function to ask no more.
    virtual void on_gone(std::function<void()> told) = 0;
};

} // namespace mcp
