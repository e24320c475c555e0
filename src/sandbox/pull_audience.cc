#include "src/sandbox/pull_audience.h"

#include <algorithm>
#include <cstdio>

namespace sandbox {
namespace {

std::string megabytes(std::int64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(bytes) / 1e6);
    return text;
}

} // namespace

std::shared_ptr<void> PullAudience::join(Sink sink) {
    const auto place = sinks_->insert(sinks_->end(), std::move(sink));
    return std::shared_ptr<void>(nullptr, [sinks = sinks_, place](void*) { sinks->erase(place); });
}

void PullAudience::tell(const std::string& image, const runtime_api::PullProgress* progress) const {
    const auto sinks = sinks_; // a sink may leave while it is told, but not make others leave
    for (auto it = sinks->begin(); it != sinks->end();) {
        const auto next = std::next(it);
        const Sink sink = *it; // which may go while it runs
        sink(image, progress);
        it = next;
    }
}

std::string describe_pull(const std::string& image, const runtime_api::PullProgress& progress) {
    const std::string head = "pulling " + image + ": ";
    if (!progress.total || *progress.total <= 0) return head + progress.status;
    return head + megabytes(progress.done.value_or(0)) + " of " + megabytes(*progress.total) + " MB";
}

double pulled_part(const runtime_api::PullProgress& progress) {
    if (!progress.total || *progress.total <= 0) return 0;
    const double part = static_cast<double>(progress.done.value_or(0)) / static_cast<double>(*progress.total);
    return std::clamp(part, 0.0, 1.0);
}

} // namespace sandbox
