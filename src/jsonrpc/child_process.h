#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "src/jsonrpc/channel.h"
#include "src/jsonrpc/fd_channel.h"
#include "src/jsonrpc/keeper.h"

namespace jsonrpc {

/// A command of ours that speaks lines on its stdin and stdout. Whatever becomes of it or of us, SIGKILL
/// included, neither it nor any descendant of it is left: a keeper (see keeper.h) stands between. Its stderr
/// is always drained, and the end of it kept. On the loop's thread.
class ChildProcess : public Channel {
public:
    /// Starts it. A command that cannot be run ends the channel, with reason(). Throws Error(internal_error)
    /// where no pipe or process can be had.
    ChildProcess(boost::asio::any_io_executor executor, Launch launch, FdChannel::Options options);
    ~ChildProcess() override; ///< Kills at once, if it still runs; see stop().
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    boost::asio::awaitable<std::optional<LineSplitter::Line>> read() override;
    void write(std::string line) override;
    void close() noexcept override; ///< Kills at once.
    /// As FdChannel::room.
    boost::asio::awaitable<bool> room(std::size_t bytes, std::chrono::steady_clock::time_point until);

    /// "npx: not found in PATH=/usr/bin", "exited with status 3", "was killed by signal 11 (Segmentation
    /// fault)". Known once read() has ended.
    std::string reason() const override;

    std::uint64_t position() const override;
    std::optional<std::uint64_t> read_up_to() const override;

    /// The last 8 KiB that it wrote to stderr.
    std::string stderr_tail() const;

    /// Its process id; 0 until it is known to run, and for one that could not be started.
    pid_t pid() const;

    /// It and all its descendants are gone.
    bool gone() const;

    /// Ends it as MCP asks: stdin is closed; after `grace` SIGTERM to its group; after `grace` again SIGKILL
    /// to all. Returns as soon as nothing is left of it (and a little after the kill in any case). May be
    /// called twice.
    boost::asio::awaitable<void> stop(std::chrono::milliseconds grace);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace jsonrpc
