#include "runtime_api/curl_attach.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <cstdlib>
#include <deque>
#include <utility>

#include "runtime_api/curl_connection.h"
#include "runtime_api/error.h"
#include "runtime_api/http_head.h"
#include "runtime_api/stream_demux.h"

namespace runtime_api {
namespace asio = boost::asio;
namespace {

constexpr std::size_t max_refusal = 64 << 10; // an engine's reason for not attaching

/// The stream proper. What a suspended read or write needs is held by shared_ptr, so that the stream may be
/// destroyed meanwhile.
class CurlAttach final : public AttachStream {
public:
    CurlAttach(std::shared_ptr<CurlConnection> connection, std::string_view first)
        : state_(std::make_shared<State>()) {
        state_->connection = std::move(connection);
        state_->take(first);
    }
    ~CurlAttach() override { state_->connection->close(); }

    asio::awaitable<Piece> read() override { return read_piece(state_); }
    asio::awaitable<void> write(std::string data) override {
        return CurlConnection::write(state_->connection, std::move(data));
    }
    void close() noexcept override { state_->connection->close(); }

private:
    struct State {
        std::shared_ptr<CurlConnection> connection;
        StreamDemux demux;
        std::deque<Piece> ready;

        /// Splits, and joins neighbours again: frames are small (8 KiB on podman), pieces should not be.
        void take(std::string_view bytes) {
            demux.feed(bytes, [this](Stream stream, std::string_view payload) {
                if (ready.empty() || ready.back().stream != stream) ready.emplace_back().stream = stream;
                ready.back().data += payload;
            });
        }
    };

    static asio::awaitable<Piece> read_piece(std::shared_ptr<State> state) {
        while (state->ready.empty()) {
            const std::string_view bytes = co_await CurlConnection::read(state->connection);
            if (bytes.empty()) {
                if (!state->connection->closed() && !state->demux.at_boundary())
                    throw Error(Errc::unavailable, "the engine ended the stream in the middle of a frame");
                co_return Piece();
            }
            state->take(bytes);
        }
        Piece piece = std::move(state->ready.front());
        state->ready.pop_front();
        co_return piece;
    }

    std::shared_ptr<State> state_;
};

std::string request_text(const Endpoint& endpoint, const HttpRequest& request) {
    std::string host = "localhost";
    if (endpoint.kind != Endpoint::Kind::unix_socket) {
        host = endpoint.host.substr(0, endpoint.host.find('%'));
        if (host.find(':') != std::string::npos) host = '[' + host + ']';
        host += ':' + std::to_string(endpoint.port);
    }
    return request.method + ' ' + request.target + " HTTP/1.1\r\nHost: " + host +
           "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n";
}

bool taken_over(const HttpResponse& answer) {
    if (answer.status == 101) return true;
    if (answer.status != 200) return false;
    if (answer.headers.contains("content-length") || answer.headers.contains("transfer-encoding"))
        throw Error(Errc::protocol, "the engine answered with a document where a stream was to begin");
    return true;
}

/// How much of a refusal there is to read. Docker's has no length and ends with the connection.
std::size_t refusal_size(const HttpResponse& answer) {
    const auto length = answer.headers.find("content-length");
    if (length == answer.headers.end()) return max_refusal;
    return std::min<std::size_t>(std::strtoull(length->second.c_str(), nullptr, 10), max_refusal);
}

asio::awaitable<Upgraded> exchange(std::shared_ptr<CurlConnection> connection, std::string text) {
    co_await CurlConnection::write(connection, std::move(text));
    HttpHeadReader reader;
    std::optional<HttpResponse> head;
    while (!head) {
        const std::string_view bytes = co_await CurlConnection::read(connection);
        if (bytes.empty())
            throw Error(Errc::unavailable, "the engine closed the connection without an answer");
        head = reader.feed(bytes);
    }
    Upgraded result;
    result.answer = std::move(*head);
    std::string rest = std::move(reader).rest();
    if (taken_over(result.answer)) {
        result.stream = std::make_unique<CurlAttach>(std::move(connection), rest);
        co_return result;
    }
    const std::size_t wanted = refusal_size(result.answer);
    while (rest.size() < wanted && !rest.ends_with("\r\n0\r\n\r\n")) {
        const std::string_view bytes = co_await CurlConnection::read(connection);
        if (bytes.empty()) break;
        rest += bytes;
    }
    rest.resize(std::min(rest.size(), wanted));
    result.answer.body = std::move(rest);
    co_return result;
}

} // namespace

asio::awaitable<Upgraded> curl_upgrade(asio::any_io_executor executor,
                                       std::shared_ptr<CurlConnection> connection, Endpoint endpoint,
                                       HttpRequest request) {
    // Shared, since the timer's handler may be queued already when this frame is gone.
    struct Race {
        bool over = false;
        bool late = false;
    };
    const auto race = std::make_shared<Race>();
    asio::steady_timer timer(executor, request.limit);
    timer.async_wait([race, weak = std::weak_ptr(connection)](boost::system::error_code ec) {
        const auto held = weak.lock();
        if (ec || race->over || !held) return;
        race->late = true;
        held->close();
    });
    try {
        co_await connection->connect();
        Upgraded result = co_await exchange(connection, request_text(endpoint, request));
        race->over = true;
        co_return result;
    } catch (const Error&) {
        if (!race->late) throw;
    }
    throw Error(Errc::timed_out, "no answer within " + std::to_string(request.limit.count()) + " ms");
}

} // namespace runtime_api
