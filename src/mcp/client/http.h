#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "src/mcp/client/channel.h"

namespace mcp {

/// An upstream server over streamable HTTP, both eras: each message of ours is a POST, whose answer is one
/// message or a stream of them; the old era has a session, a stream that the server speaks on by itself, and
/// streams that go on after they broke. What goes wrong with a request comes out as an error answer to it.
class HttpChannel : public ClientChannel {
public:
    HttpChannel(boost::asio::any_io_executor executor, const ClientSpec& spec);
    ~HttpChannel() override; ///< Closes.

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override;
    void write(std::string line) override;
    void close() noexcept override;
    void agreed(Era era, const std::string& version) override;
    void set_tools(const std::vector<UpstreamTool>& tools) override;
    bool abandon(const std::string& id) override;
    bool session_lost() const override;
    void session_began() override;
    void words_to(std::function<void(const std::string&)> sink) override;
    boost::asio::awaitable<void>
    stop(std::chrono::milliseconds grace) override; ///< Ends the session by DELETE.

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace mcp
