#include "src/jsonrpc/line_splitter.h"

#include <algorithm>
#include <utility>

namespace jsonrpc {

void LineSplitter::feed(std::string_view data) {
    while (!data.empty()) {
        const std::size_t end = data.find('\n');
        append(data.substr(0, end));
        if (end == std::string_view::npos) return;
        complete();
        data.remove_prefix(end + 1);
    }
}

void LineSplitter::finish() { complete(); }

std::optional<LineSplitter::Line> LineSplitter::next() {
    if (ready_.empty()) return std::nullopt;
    Line line = std::move(ready_.front());
    ready_.pop_front();
    ready_bytes_ -= line.bytes();
    return line;
}

void LineSplitter::append(std::string_view part) {
    const bool was_oversized = size_ > bound_;
    size_ += part.size();
    if (!judged_ && bound_of_ && size_ >= head_bytes) {
        judged_ = true;
        std::string head = buffer_.substr(0, head_bytes);
        head.append(part.substr(0, head_bytes - head.size()));
        bound_ = std::min(most_, std::max(bound_of_(head), head_bytes));
    }
    if (size_ <= bound_) {
        keep(part);
        return;
    }
    if (!was_oversized) {
        const std::string end = buffer_.size() > kept ? buffer_.substr(buffer_.size() - kept) : buffer_;
        tail_ = end + more_.tail(kept);
        more_ = {};
        if (buffer_.size() < kept) buffer_.append(part.substr(0, kept - buffer_.size()));
        buffer_.resize(std::min(buffer_.size(), kept));
        buffer_.shrink_to_fit();
    }
    tail_.append(part.size() > kept ? part.substr(part.size() - kept) : part);
    if (tail_.size() > kept) tail_.erase(0, tail_.size() - kept);
}

void LineSplitter::keep(std::string_view part) {
    constexpr std::size_t first = base::LongText::piece;
    const std::size_t fits = std::min(part.size(), first - std::min(first, buffer_.size()));
    buffer_.append(part.substr(0, fits));
    const std::string_view rest = part.substr(fits);
    more_blank_ = more_blank_ && rest.find_first_not_of(" \t\r") == std::string_view::npos;
    more_.append(rest);
}

void LineSplitter::complete() {
    Line line{std::move(buffer_), size_ > bound_, size_, std::move(tail_)};
    line.more = std::exchange(more_, {});
    buffer_.clear();
    tail_.clear();
    size_ = 0;
    bound_ = most_;
    judged_ = false;
    const bool more_blank = std::exchange(more_blank_, true);
    if (line.more.ends_with('\r'))
        line.more.drop_last();
    else if (line.more.empty() && !line.oversized && line.text.ends_with('\r'))
        line.text.pop_back();
    // A line with nothing but a byte order mark is blank; before a message it is the reader's to note.
    const std::size_t begin = line.text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const bool blank = more_blank && line.text.find_first_not_of(" \t\r", begin) == std::string::npos;
    if (blank && !line.oversized) return;
    ready_bytes_ += line.bytes();
    ready_.push_back(std::move(line));
}

} // namespace jsonrpc
