#include "src/mcp/client/inbox.h"

#include "src/base/json_scan.h"

namespace mcp {
namespace {

constexpr std::size_t most_bytes = std::size_t{128}
                                   << 20; // that wait to be read; a storm of events is no more
constexpr std::size_t line_cost = 64;     // bytes, besides its text

// Inside of strings they should be escaped; where they are not, that is for the reader to see.
void join_lines(std::string& text) {
    for (std::size_t at = 0; (at = text.find_first_of("\"\r\n", at)) != std::string::npos;) {
        if (text[at] == '"')
            at = json::scan::string_end(text, at);
        else
            text[at++] = ' ';
    }
}

} // namespace

void HttpInbox::put(std::string text, std::string of_request, bool whole_answer) {
    if (closed_) return;
    join_lines(text);
    if (!whole_answer && text.find_first_not_of(" \t") == std::string::npos) return;
    jsonrpc::LineSplitter::Line line;
    line.size = text.size();
    line.text = std::move(text);
    line.of_request = std::move(of_request);
    line.whole_answer = whole_answer;
    bytes_ += line.size + line_cost;
    if (bytes_ > most_bytes && !lines_.empty()) return close();
    lines_.push_back(std::move(line));
    changed_.notify();
}

void HttpInbox::close() noexcept {
    closed_ = true;
    lines_.clear();
    bytes_ = 0;
    changed_.notify();
}

boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> HttpInbox::read() {
    const auto self = shared_from_this();
    while (self->lines_.empty() && !self->closed_)
        co_await self->changed_.wait(std::chrono::steady_clock::time_point::max());
    if (self->closed_) co_return std::nullopt;
    jsonrpc::LineSplitter::Line line = std::move(self->lines_.front());
    self->lines_.pop_front();
    self->bytes_ -= line.size + line_cost;
    co_return line;
}

} // namespace mcp
