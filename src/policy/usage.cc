#include "src/policy/usage.h"

namespace policy {
namespace {

template <class Map, class Key> std::int64_t counted(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
}

std::string said(const char* key, std::int64_t value) {
    return std::string(key) + " = " + std::to_string(value);
}

} // namespace

std::int64_t Minute::calls(const Rule& rule, Clock::time_point now) {
    const auto found = calls_.find(rule.place);
    if (found == calls_.end()) return 0;
    std::deque<Clock::time_point>& times = found->second;
    while (!times.empty() && now - times.front() >= std::chrono::minutes(1)) times.pop_front();
    return static_cast<std::int64_t>(times.size());
}

void Minute::count(const Rule& rule, Clock::time_point now) { calls_[rule.place].push_back(now); }

std::string Usage::limit(const Rule& rule, const std::string& tool, std::size_t argument_bytes,
                         Minute::Clock::time_point now) const {
    if (rule.max_arguments && static_cast<std::int64_t>(argument_bytes) > *rule.max_arguments)
        return said("max_arguments", *rule.max_arguments);
    if (rule.calls_per_run && counted(by_rule_, rule.place) >= *rule.calls_per_run)
        return said("calls_per_run", *rule.calls_per_run);
    if (rule.calls_per_tool && counted(by_tool_, std::pair(rule.place, tool)) >= *rule.calls_per_tool)
        return said("calls_per_tool", *rule.calls_per_tool);
    if (rule.calls_per_minute && minute_ && minute_->calls(rule, now) >= *rule.calls_per_minute)
        return said("calls_per_minute", *rule.calls_per_minute);
    return {};
}

void Usage::count(const Rule& rule, const std::string& tool, Minute::Clock::time_point now) {
    if (rule.calls_per_run) ++by_rule_[rule.place];
    if (rule.calls_per_tool) ++by_tool_[std::pair(rule.place, tool)];
    if (rule.calls_per_minute && minute_) minute_->count(rule, now);
}

} // namespace policy
