#include "src/mcp/client_inbox.h"

#include <algorithm>

namespace mcp {

void HttpInbox::put(std::string text) {
    if (closed_) return;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; },
        ' '); // inside of strings they are escaped
    if (text.find_first_not_of(" \t") == std::string::npos) return;
    lines_.push_back(std::move(text));
    changed_.notify();
}

void HttpInbox::close() noexcept {
    closed_ = true;
    lines_.clear();
    changed_.notify();
}

boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> HttpInbox::read() {
    const auto self = shared_from_this();
    while (self->lines_.empty() && !self->closed_)
        co_await self->changed_.wait(std::chrono::steady_clock::time_point::max());
    if (self->closed_) co_return std::nullopt;
    jsonrpc::LineSplitter::Line line;
    line.text = std::move(self->lines_.front());
    line.size = line.text.size();
    self->lines_.pop_front();
    co_return line;
}

} // namespace mcp
