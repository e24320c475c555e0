#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "src/base/event.h"
#include "src/mcp/http/byte_stream.h"
#include "src/mcp/http/front.h"
#include "src/mcp/http/out.h"
#include "src/mcp/http/parser.h"

namespace mcp {

/// One accepted connection: reads requests one after another and has them answered. It always reads on, so
/// that it sees the client go while an answer is being made. On the loop's thread.
class HttpConnection : public HttpOut, public std::enable_shared_from_this<HttpConnection> {
public:
    struct Limits {
        std::size_t head_bytes = 16 << 10;
        std::size_t body_bytes = 16 << 20;
        std::chrono::milliseconds handshake{10'000}; ///< TLS.
        std::chrono::milliseconds head{30'000};      ///< From its first byte.
        std::chrono::milliseconds body{120'000};     ///< All of it.
        std::chrono::milliseconds idle{300'000};     ///< Between two requests.
        std::chrono::milliseconds reader{30'000};    ///< To take a piece of an answer, and for its size
        std::size_t slowest_reader = 32 << 10;       ///< as long as at so many bytes a second.
    };

    /// `front` must outlive this.
    /// `peer`: the other end, as in HttpMessage.
    HttpConnection(boost::asio::any_io_executor executor, std::unique_ptr<ByteStream> stream,
                   HttpFront& front, Limits limits, std::string peer);

    /// Serves until one side closes. Never throws but for bugs. Once.
    boost::asio::awaitable<void> run();
    /// Ends it at once; run() then returns.
    void close() noexcept;
    /// A request of its has been let in, so that its client is one of ours.
    bool let_in() const { return let_in_; }
    /// No request runs: it only waits for the next, and has done so since.
    bool idle() const { return idle_; }
    std::chrono::steady_clock::time_point idle_since() const { return idle_since_; }
    /// The client that uses it, by its last request: its session, else its address.
    const std::string& owner() const { return owner_; }
    std::chrono::steady_clock::time_point born() const { return born_; }

    boost::asio::awaitable<void> reply(HttpReply reply) override;
    boost::asio::awaitable<void>
    open_stream(std::vector<std::pair<std::string, std::string>> headers) override;
    boost::asio::awaitable<void> stream(std::string piece) override;
    boost::asio::awaitable<void> end_stream() override;
    bool gone() const override { return gone_; }
    void on_gone(std::function<void()> told) override { told_ = std::move(told); }

private:
    using Clock = std::chrono::steady_clock;

    static boost::asio::awaitable<void> read_on(std::shared_ptr<HttpConnection> self);
    boost::asio::awaitable<void> serve();
    boost::asio::awaitable<bool> serve_one();
    boost::asio::awaitable<bool> more(Clock::time_point until);
    boost::asio::awaitable<void> refuse(HttpReply reply);
    boost::asio::awaitable<void> write(std::string bytes);
    void end_reading();
    void let_in(HttpMessage head);
    void count_body(std::size_t bytes);

    static constexpr std::size_t most_waiting = 64 << 10;

    boost::asio::any_io_executor executor_;
    std::unique_ptr<ByteStream> stream_;
    HttpFront& front_;
    Limits limits_;
    base::Event changed_; ///< Bytes came, bytes were taken, or the client went.
    std::string inbox_{}; ///< Bytes that came and are not yet taken.
    std::function<void()> told_{};
    bool gone_ = false;
    bool let_in_ = false;
    Clock::time_point born_ = Clock::now();
    bool idle_ = true;
    Clock::time_point idle_since_ = Clock::now();
    std::string peer_;
    std::string owner_;
    HttpClients::Names client_{};              ///< Of the request that is being read.
    std::shared_ptr<HttpClients::Use> body_{}; ///< The bytes of it that came so far, in steps.
    std::size_t counted_ = 0;                  ///< As many.
    bool discard_ = false;                     ///< What comes is of no interest any more.
    bool keep_alive_ = true;                   ///< As the current request wants it.
    bool chunks_ = true;
};

} // namespace mcp
