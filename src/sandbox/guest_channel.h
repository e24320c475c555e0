#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "runtime_api/attach_stream.h"
#include "src/base/budget.h"
#include "src/jsonrpc/channel.h"

namespace sandbox {

/// The longest line that a guest may send that begins so, in bytes: each kind of message has a bound of its
/// own, and only a tool's arguments, a picture, a file and the end of a run may be large. Pure.
std::size_t guest_line_bound(std::string_view head);

/// The conversation with a guest over the attach stream: its stdout carries messages, its stderr the last
/// words of one that broke.
///
/// A guest has a budget of bytes in flight: what it sent and the host has not dealt with, and what waits to
/// be written to it. Past that it is not read until some are done with, so that however much it sends or asks
/// for, it holds no more of the host's memory than the budget and one message.
class GuestChannel : public jsonrpc::Channel {
public:
    /// `whole`: the budget of all guests, which this one's counts into; may be null. A line has at most 96
    /// MiB each way: a tool's result of 64 MiB fits.
    GuestChannel(boost::asio::any_io_executor executor, std::unique_ptr<runtime_api::AttachStream> stream,
                 base::Budget* whole = nullptr);
    ~GuestChannel() override;

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override;
    void write(std::string line) override;
    void close() noexcept override;
    std::string reason() const override;

    /// Bytes as they are, before the first line: the guest's own source.
    void write_raw(std::string bytes);

    /// Bytes in flight, both ways.
    std::size_t in_flight() const;

    /// Waits until little waits to be written: an answer that the host makes itself is not made before.
    /// Cancellable (terminal).
    boost::asio::awaitable<void> writable();

    /// The end of what came on stderr, at most 4 KiB, as valid UTF-8.
    std::string last_words() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace sandbox
