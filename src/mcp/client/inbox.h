#pragma once
#include <boost/asio/awaitable.hpp>
#include <deque>
#include <optional>
#include <string>

#include "src/base/event.h"
#include "src/jsonrpc/line_splitter.h"

namespace mcp {

/// Messages that came over HTTP, waiting to be read as lines of a channel. On the loop's thread; held by
/// shared_ptr.
class HttpInbox : public std::enable_shared_from_this<HttpInbox> {
public:
    explicit HttpInbox(boost::asio::any_io_executor executor) : changed_(std::move(executor)) {}

    /// A JSON text; line breaks between its parts become spaces, so that it is one line for whoever passes it
    /// on. of_request: the id of the request whose answer it came with; whole_answer: nothing more comes to
    /// that.
    void put(std::string text, std::string of_request = {}, bool whole_answer = false);
    void close() noexcept;
    bool closed() const { return closed_; }
    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read();

private:
    base::Event changed_;
    std::deque<jsonrpc::LineSplitter::Line> lines_;
    std::size_t bytes_ = 0; ///< Of these.
    bool closed_ = false;
};

} // namespace mcp
