#include "src/mcp/http/connection.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <vector>

namespace mcp {
namespace asio = boost::asio;
namespace {

// Closes a connection unless it is destroyed in time.
class Guard {
public:
    Guard(const asio::any_io_executor& executor, std::chrono::milliseconds limit,
          const std::shared_ptr<HttpConnection>& connection)
        : timer_(executor, limit) {
        timer_.async_wait([weak = std::weak_ptr(connection)](boost::system::error_code error) {
            const auto self = weak.lock();
            if (!error && self) self->close();
        });
    }

private:
    asio::steady_timer timer_;
};

} // namespace

HttpConnection::HttpConnection(asio::any_io_executor executor, std::unique_ptr<ByteStream> stream,
                               HttpFront& front, Limits limits, std::string peer)
    : executor_(executor), stream_(std::move(stream)), front_(front), limits_(limits), changed_(executor),
      peer_(std::move(peer)), owner_(peer_.substr(0, peer_.rfind(':'))) {}

// Whoever is refused is not let in by it.
void HttpConnection::let_in(HttpMessage head) {
    head.peer = peer_;
    client_ = front_.check_head(head);
    if (!client_.empty()) owner_ = client_.back();
    let_in_ = true;
}

// In steps: a body that comes in crumbs is not counted anew for each.
void HttpConnection::count_body(std::size_t bytes) {
    constexpr std::size_t step = 256 << 10;
    const std::size_t counted = bytes / step * step;
    if (counted == counted_) return;
    body_.reset();
    body_ = std::make_shared<HttpClients::Use>(front_.room_for(client_, counted));
    counted_ = counted;
}

void HttpConnection::close() noexcept {
    stream_->close();
    end_reading();
}

void HttpConnection::end_reading() {
    if (std::exchange(gone_, true)) return;
    changed_.notify();
    if (told_) told_();
}

asio::awaitable<void> HttpConnection::read_on(std::shared_ptr<HttpConnection> self) {
    std::vector<char> bytes(32 << 10);
    while (!self->gone_) {
        const std::size_t count = co_await self->stream_->read(bytes.data(), bytes.size());
        if (count == 0) break;
        if (!self->discard_) self->inbox_.append(bytes.data(), count);
        self->changed_.notify();
        // taken when the next request is read; until then a client that sends on is not watched for its going
        while (self->inbox_.size() > most_waiting && !self->gone_)
            co_await self->changed_.wait(Clock::time_point::max());
    }
}

asio::awaitable<void> HttpConnection::run() {
    const auto self = shared_from_this();
    try {
        const Guard guard(executor_, limits_.handshake, self);
        co_await stream_->handshake();
    } catch (const boost::system::system_error&) { // no client of ours
        close();
        co_return;
    }
    asio::co_spawn(executor_, read_on(self), [self](std::exception_ptr) { self->end_reading(); });
    try {
        co_await serve();
    } catch (const boost::system::system_error&) { // the client has gone, or reads too slowly
    }
    close();
}

asio::awaitable<void> HttpConnection::serve() {
    std::optional<HttpReply> refusal;
    try {
        while (co_await serve_one()) {
        }
    } catch (const HttpRefused& refused) {
        refusal = refused.reply();
    }
    if (refusal) co_await refuse(std::move(*refusal));
}

// Waits for bytes; false where the client went or the time is over.
asio::awaitable<bool> HttpConnection::more(Clock::time_point until) {
    const std::size_t before = inbox_.size();
    while (inbox_.size() == before) {
        if (gone_ || Clock::now() >= until) co_return false;
        co_await changed_.wait(until);
    }
    co_return true;
}

asio::awaitable<bool> HttpConnection::serve_one() {
    HttpParser parser(limits_.head_bytes, limits_.body_bytes);
    keep_alive_ = false; // for refusals before the head is read
    if (inbox_.empty() && !co_await more(Clock::now() + limits_.idle)) co_return false;
    idle_ = false;
    bool checked = false;
    auto until = Clock::now() + limits_.head;
    for (;;) {
        inbox_.erase(0, parser.feed(inbox_));
        changed_.notify();
        if (!checked && parser.head_done()) {
            let_in(parser.head());
            checked = true;
            until = Clock::now() + limits_.body;
            if (!parser.done() && parser.expects_continue()) co_await write("HTTP/1.1 100 Continue\r\n\r\n");
        }
        if (checked) count_body(parser.body_bytes());
        if (parser.done()) break;
        if (inbox_.size() > most_waiting) // bytes that the parser does not take, and no more would be read
            throw HttpRefused(error_reply(400, "a line between the chunks of the body is too long"));
        if (!co_await more(until)) {
            if (gone_) co_return false;
            throw HttpRefused(error_reply(408, "the request did not come in time"));
        }
    }
    HttpMessage request = parser.take();
    request.peer = peer_;
    request.held = std::exchange(body_, nullptr);
    counted_ = 0;
    keep_alive_ = request.keep_alive;
    chunks_ = request.chunks;
    std::optional<HttpReply> refusal;
    try {
        co_await front_.serve(std::move(request), *this);
    } catch (const HttpRefused& refused) { // the request was read to its end: the connection may go on
        refusal = refused.reply();
    }
    if (refusal) co_await reply(std::move(*refusal));
    idle_ = true;
    idle_since_ = Clock::now();
    co_return keep_alive_ && !gone_;
}

// Says so, and gives the client the time to read it: closing on bytes that are still coming would take the
// answer away.
asio::awaitable<void> HttpConnection::refuse(HttpReply answer) {
    discard_ = true;
    inbox_.clear();
    changed_.notify();
    keep_alive_ = false;
    co_await reply(std::move(answer));
    co_await stream_->end_writing();
    const auto until = Clock::now() + std::chrono::seconds(2);
    while (!gone_ && Clock::now() < until) co_await changed_.wait(until);
}

asio::awaitable<void> HttpConnection::write(std::string bytes) {
    const auto self = shared_from_this();
    const auto slowest = limits_.reader + std::chrono::seconds(bytes.size() / limits_.slowest_reader);
    const Guard guard(executor_, slowest, self);
    co_await stream_->write(std::move(bytes));
}

asio::awaitable<void> HttpConnection::reply(HttpReply answer) {
    co_await write(reply_bytes(answer, keep_alive_));
}

asio::awaitable<void> HttpConnection::open_stream(std::vector<std::pair<std::string, std::string>> headers) {
    if (!chunks_) keep_alive_ = false; // the end of the connection is the end of the answer
    co_await write(stream_head(headers, chunks_));
}

asio::awaitable<void> HttpConnection::stream(std::string piece) {
    std::string bytes = chunks_ ? chunk(piece) : std::move(piece);
    co_await write(std::move(bytes));
}

asio::awaitable<void> HttpConnection::end_stream() {
    if (chunks_) co_await write(std::string(last_chunk));
}

} // namespace mcp
