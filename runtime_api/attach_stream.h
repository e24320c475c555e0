#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <string>

namespace runtime_api {

/// The stdin, stdout and stderr of a container, over a connection taken over from HTTP. One reader and one
/// writer at a time, on the loop's thread. The rule of every engine: keep reading or destroy it. One that is
/// held and not read makes kill, wait and remove hang (runtime-api.md, 2.4).
class AttachStream {
public:
    virtual ~AttachStream() = default;

    enum class Stream { out, err };
    struct Piece {
        Stream stream = Stream::out;
        std::string data; ///< Empty: end of file, and so for ever after.
    };

    /// The next piece, as large as one read gave (up to 256 KiB). Waits as long as it takes: the peer's
    /// heartbeat and deadline are the caller's business. Throws Error(protocol) on a frame that is none,
    /// Error(unavailable) when the connection broke. Cancellable (terminal).
    virtual boost::asio::awaitable<Piece> read() = 0;

    /// Writes all of data; waits while the engine's buffers are full. Throws Error(unavailable) when the
    /// connection is gone. Cancellable (terminal).
    virtual boost::asio::awaitable<void> write(std::string data) = 0;

    /// Closes at once; a waiting read ends with end of file, a waiting write with an Error. May be called
    /// twice.
    virtual void close() noexcept = 0;
};

} // namespace runtime_api
