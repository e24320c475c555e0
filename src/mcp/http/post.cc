#include "src/mcp/http/post.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>

namespace mcp {
namespace asio = boost::asio;

asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> HttpPost::Lines::read() {
    co_return std::nullopt;
}

HttpPost::HttpPost(asio::any_io_executor executor, const MethodTable& methods, Conversation::Options options)
    : executor_(executor), lines_(*this), changed_(executor),
      conversation_(executor, lines_, methods, std::move(options)) {}

void HttpPost::start(jsonrpc::Message request, std::function<void()> ended) {
    const auto work = [](std::shared_ptr<HttpPost> self, jsonrpc::Message message) -> asio::awaitable<void> {
        self->conversation_.receive(std::move(message));
        // As long as a tool may run; what ends it is its own time limit, the client, or the end of the
        // server.
        while (!co_await self->conversation_.drained_within(std::chrono::hours(24))) {
        }
    };
    spawn(work(shared_from_this(), std::move(request)), std::move(ended));
}

void HttpPost::start(std::string body, std::function<void()> ended) {
    const auto work = [](std::shared_ptr<HttpPost> self, std::string text) -> asio::awaitable<void> {
        co_await self->conversation_.read(std::move(text));
        while (!co_await self->conversation_.drained_within(std::chrono::hours(24))) {
        }
    };
    spawn(work(shared_from_this(), std::move(body)), std::move(ended));
}

void HttpPost::spawn(asio::awaitable<void> work, std::function<void()> ended) {
    const auto self = shared_from_this();
    asio::co_spawn(executor_, std::move(work), [self, ended = std::move(ended)](std::exception_ptr) {
        self->ended_ = true;
        self->changed_.notify();
        ended();
    });
}

asio::awaitable<HttpPost::Next> HttpPost::next(std::chrono::steady_clock::time_point until) {
    const auto self = shared_from_this();
    if (queue_.empty() && !ended_ && !too_slow_) co_await changed_.wait(until);
    Next out;
    if (queue_.empty()) {
        out.end = ended_;
        out.too_slow = too_slow_;
        co_return out;
    }
    out.line = std::move(queue_.front());
    queue_.pop_front();
    queued_ -= out.line->size();
    co_return out;
}

void HttpPost::take(std::string line) {
    if (detached_) return;
    queued_ += line.size();
    queue_.push_back(std::move(line));
    too_slow_ = queued_ > most_queued;
    if (too_slow_) detach();
    changed_.notify();
}

void HttpPost::detach() {
    detached_ = true;
    queue_.clear();
    queued_ = 0;
    conversation_.end_questions();
}

void HttpPost::cancel() { conversation_.cancel_all(); }

} // namespace mcp
