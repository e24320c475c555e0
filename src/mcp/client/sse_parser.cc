#include "src/mcp/client/sse_parser.h"

#include <algorithm>
#include <charconv>

namespace mcp {
namespace {

constexpr std::size_t room_for_name = 16; // "data: " and the like, beside the data
constexpr std::size_t most_id = 4096;

} // namespace

void SseParser::feed(std::string_view bytes, const Sink& sink) {
    while (!bytes.empty()) {
        if (skip_newline_ && bytes.front() == '\n') bytes.remove_prefix(1);
        skip_newline_ = false;
        const std::size_t end = bytes.find_first_of("\r\n");
        append(bytes.substr(0, end));
        if (end == std::string_view::npos) return;
        skip_newline_ = bytes[end] == '\r';
        end_line(sink);
        bytes.remove_prefix(end + 1);
    }
}

void SseParser::append(std::string_view part) {
    const std::size_t room =
        most_ + room_for_name - std::min(line_.size() + data_.size(), most_ + room_for_name);
    if (part.size() > room) oversized_ = true; // what the line was is still to be seen from its beginning
    if (!oversized_ || line_.size() < room_for_name)
        line_.append(part.substr(0, oversized_ ? room_for_name : part.size()));
}

void SseParser::end_line(const Sink& sink) {
    if (at_start_ && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
    at_start_ = false;
    if (line_.empty()) return dispatch(sink);
    const std::size_t colon = line_.find(':');
    std::string_view value =
        colon == std::string::npos ? std::string_view() : std::string_view(line_).substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    field(std::string_view(line_).substr(0, colon), value); // a comment is a field without a name
    line_.clear();
}

void SseParser::field(std::string_view name, std::string_view value) {
    if (name == "data") {
        take_data(value);
    } else if (name == "event") {
        type_ = value;
    } else if (name == "id") {
        if (value.size() <= most_id && value.find('\0') == std::string_view::npos) last_id_ = value;
    } else if (name == "retry") {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error == std::errc() && end == value.data() + value.size() && number >= 0)
            retry_ = std::chrono::milliseconds(number);
    }
}

void SseParser::take_data(std::string_view value) {
    if (oversized_) return;
    if (has_data_) data_ += '\n';
    has_data_ = true;
    data_.append(value);
    if (data_.size() > most_) oversized_ = true;
}

void SseParser::dispatch(const Sink& sink) {
    Event event{type_.empty() ? "message" : std::move(type_), oversized_ ? std::string() : std::move(data_),
                oversized_};
    const bool is_one = has_data_ || oversized_;
    type_.clear();
    data_.clear();
    has_data_ = false;
    oversized_ = false;
    if (is_one && (!event.data.empty() || event.oversized)) sink(std::move(event));
}

} // namespace mcp
