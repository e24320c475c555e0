#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "runtime_api/attach_stream.h"
#include "src/jsonrpc/channel.h"

namespace sandbox {

/// The conversation with a guest over the attach stream: its stdout carries messages, its stderr the last
/// words of one that broke.
class GuestChannel : public jsonrpc::Channel {
public:
    /// Lines of at most 96 MiB each way: a tool's result of 64 MiB, the most that is taken, and its escapes.
    GuestChannel(boost::asio::any_io_executor executor, std::unique_ptr<runtime_api::AttachStream> stream);
    ~GuestChannel() override;

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override;
    void write(std::string line) override;
    void close() noexcept override;
    std::string reason() const override;

    /// Bytes as they are, before the first line: the guest's own source.
    void write_raw(std::string bytes);

    /// The end of what came on stderr, at most 4 KiB, as valid UTF-8.
    std::string last_words() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace sandbox
