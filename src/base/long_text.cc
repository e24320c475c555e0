#include "src/base/long_text.h"

#include <algorithm>
#include <utility>

namespace base {

void LongText::append(std::string_view part) {
    size_ += part.size();
    while (!part.empty()) {
        if (pieces_.empty() || pieces_.back().size() == piece) {
            const bool more_to_come = !pieces_.empty();
            pieces_.emplace_back();
            if (more_to_come) pieces_.back().reserve(piece);
        }
        const std::size_t fits = std::min(part.size(), piece - pieces_.back().size());
        pieces_.back().append(part.substr(0, fits));
        part.remove_prefix(fits);
    }
}

void LongText::drop_last() {
    --size_;
    pieces_.back().pop_back();
    if (pieces_.back().empty()) pieces_.pop_back();
}

std::string LongText::tail(std::size_t most) const {
    std::string end;
    for (auto it = pieces_.rbegin(); it != pieces_.rend() && end.size() < most; ++it) {
        const std::size_t missing = std::min(most - end.size(), it->size());
        end.insert(0, *it, it->size() - missing, missing);
    }
    return end;
}

std::string LongText::join(std::string begin) {
    if (begin.empty() && pieces_.size() == 1) { // the usual case
        begin.swap(pieces_.front());
        pieces_.clear();
    }
    if (!pieces_.empty()) begin.reserve(begin.size() + size_);
    for (; !pieces_.empty(); pieces_.pop_front()) begin += pieces_.front();
    size_ = 0;
    return begin;
}

} // namespace base
