#include "src/mcp/server/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/json.h"

namespace mcp {
namespace {

constexpr std::size_t most_message_bytes = 1024;

// A little more than last, whatever its magnitude.
double above(double last) {
    return std::max(last + 0.001, std::nextafter(last, std::numeric_limits<double>::max()));
}

} // namespace

std::optional<std::string> ProgressTrack::next(double done, std::optional<double> total,
                                               std::string_view message, Clock::time_point now) {
    if (!wanted()) return std::nullopt;
    const bool complete = total && done >= *total;
    if (last_ && now - last_time_ < gap && !complete) return std::nullopt;
    if (!std::isfinite(done)) done = last_.value_or(0);
    if (last_ && done <= *last_) done = above(*last_);
    last_ = done;
    last_time_ = now;
    json::Writer w;
    w.object().raw_field("progressToken", token_).field("progress", done);
    if (total && std::isfinite(*total) && *total >= done) w.field("total", *total);
    if (!message.empty()) w.field("message", json::valid_utf8(message.substr(0, most_message_bytes)));
    return w.end().take();
}

} // namespace mcp
