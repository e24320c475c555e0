#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "src/base/fd.h"
#include "src/jsonrpc/channel.h"

namespace jsonrpc {

/// Lines over a pair of descriptors: pipes, sockets, terminals, files, /dev/null. Owns both, and leaves them
/// as it found them (O_NONBLOCK is a property that other processes may share). On the loop's thread; may be
/// destroyed while a coroutine waits in it. SIGPIPE must be ignored in the process.
class FdChannel : public Channel {
public:
    struct Options {
        std::size_t most_line = std::size_t{16}
                                << 20; ///< Bytes of a line that is read; a longer one comes out `oversized`.
        std::size_t most_queued = std::size_t{64}
                                  << 20;  ///< Bytes that wait to be written. A single line may always wait.
        LineSplitter::BoundOf bound_of{}; ///< Of a line, where it depends on how that begins.
    };

    FdChannel(boost::asio::any_io_executor executor, base::UniqueFd in, base::UniqueFd out, Options options);
    ~FdChannel() override; ///< Closes.
    FdChannel(const FdChannel&) = delete;
    FdChannel& operator=(const FdChannel&) = delete;

    boost::asio::awaitable<std::optional<LineSplitter::Line>> read() override;
    /// Small lines that wait are sent together; a large one is never copied.
    void write(std::string line) override;
    void close() noexcept override;
    std::string reason() const override;
    std::uint64_t position() const override;
    /// Known of a pipe alone, and only where the other side closed its end before we did.
    std::optional<std::uint64_t> read_up_to() const override;

    /// Looks now whether the other side still reads, and waits until it is known what became of the write
    /// that was under way. A moment at most.
    boost::asio::awaitable<void> settled();

    /// Closes the writing end once what is queued is written; reading goes on. Later lines are dropped.
    void end_writing();

    /// Waits until a line of that size fits into half of what may wait, or nothing waits: so large ones take
    /// turns, and small ones always find room. False where that is not so by then. True too where the channel
    /// has ended, since lines are dropped then.
    boost::asio::awaitable<bool> room(std::size_t bytes, std::chrono::steady_clock::time_point until);

    /// Waits until all that was written is out, the other side is gone, or the limit has passed. True if all
    /// is out.
    boost::asio::awaitable<bool> flushed(std::chrono::milliseconds limit);

    /// Waits until the other side no longer reads (its end is closed, or it hung up), even when nothing is
    /// written; or until close(). May last for ever. Reading may still give lines then. Cancellable
    /// (terminal).
    boost::asio::awaitable<void> closed();

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace jsonrpc
