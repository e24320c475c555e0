#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "src/mcp/client/channel.h"

namespace mcp {

/// An upstream server over HTTP+SSE, as it was in 2024-11-05: all that the server says comes on one stream,
/// whose first event tells where our messages are to be posted. The channel ends when the stream does.
class HttpSseChannel : public ClientChannel {
public:
    HttpSseChannel(boost::asio::any_io_executor executor, const ClientSpec& spec);
    ~HttpSseChannel() override; ///< Closes.

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override;
    void write(std::string line) override;
    void close() noexcept override;
    std::string reason() const override;
    void words_to(std::function<void(const std::string&)> sink) override;
    boost::asio::awaitable<void> stop(std::chrono::milliseconds grace) override;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace mcp
