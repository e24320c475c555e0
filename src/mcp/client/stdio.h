#pragma once
#include "src/jsonrpc/child_process.h"
#include "src/mcp/client/channel.h"

namespace mcp {

/// An upstream server that is a child of ours.
class StdioClientChannel : public ClientChannel {
public:
    /// Starts it. Throws jsonrpc::Error.
    StdioClientChannel(boost::asio::any_io_executor executor, const ClientSpec& spec);

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override {
        return child_.read();
    }
    void write(std::string line) override { child_.write(std::move(line)); }
    void close() noexcept override { child_.close(); }
    std::string reason() const override { return child_.reason(); }
    std::uint64_t position() const override { return child_.position(); }
    std::optional<std::uint64_t> read_up_to() const override { return child_.read_up_to(); }
    void bound_by(jsonrpc::LineSplitter::BoundOf bound) override { *bound_ = std::move(bound); }
    boost::asio::awaitable<bool> room(std::size_t bytes,
                                      std::chrono::steady_clock::time_point until) override {
        return child_.room(bytes, until);
    }
    bool ever_ran() const override { return child_.pid() != 0; }
    std::string log_tail() const override { return child_.stderr_tail(); }
    boost::asio::awaitable<void> stop(std::chrono::milliseconds grace) override { return child_.stop(grace); }

private:
    std::shared_ptr<jsonrpc::LineSplitter::BoundOf> bound_ = /// Shared with what reads from the child.
        std::make_shared<jsonrpc::LineSplitter::BoundOf>();
    jsonrpc::ChildProcess child_;
};

} // namespace mcp
