#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "src/jsonrpc/line_splitter.h"

namespace jsonrpc {

/// Carries messages, one a line, both ways. One reader; on the loop's thread.
class Channel {
public:
    virtual ~Channel() = default;

    /// The next line; nullopt at the end of the stream, and ever after. May wait for ever: a peer has nothing
    /// to say for hours, and what must not last is bounded by who waits for an answer. Cancellable
    /// (terminal).
    virtual boost::asio::awaitable<std::optional<LineSplitter::Line>> read() = 0;

    /// Queues one line (without its newline); never waits. A peer that does not read makes the queue pass its
    /// bound: then the channel closes. After close, lines are dropped.
    virtual void write(std::string line) = 0;

    /// Ends both ways at once; a waiting read ends. What is queued is dropped. May be called twice.
    virtual void close() noexcept = 0;

    /// Why the channel ended, for messages: "" while it is open or where it ended as it should.
    virtual std::string reason() const { return {}; }

    /// Where in the stream of what we write the next line begins, in bytes.
    virtual std::uint64_t position() const { return 0; }

    /// Where in that stream the other side stopped to read: what begins there or later it never saw. Nothing
    /// where it may still read, or where that cannot be known. Known at the latest when read() has ended.
    virtual std::optional<std::uint64_t> read_up_to() const { return std::nullopt; }
};

} // namespace jsonrpc
