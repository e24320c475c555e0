#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "src/policy/rules.h"

namespace policy {

/// The calls of the last minute, of all runs, by rule. On the loop's thread.
class Minute {
public:
    using Clock = std::chrono::steady_clock;
    /// How many calls were counted in the minute before `now`.
    std::int64_t calls(const Rule& rule, Clock::time_point now);
    void count(const Rule& rule, Clock::time_point now);

private:
    std::map<std::string, std::deque<Clock::time_point>> calls_{}; // by place; a rule's limit bounds each
};

/// What one run has called so far, by rule. A value: a copy counts on by itself. On the loop's thread.
class Usage {
public:
    /// `minute` is shared with other runs and outlives this one; null: calls a minute are not counted.
    explicit Usage(Minute* minute = nullptr) : minute_(minute) {}

    /// Which limit one call more would break: "calls_per_run = 3"; "" for none.
    std::string limit(const Rule& rule, const std::string& tool, std::size_t argument_bytes,
                      Minute::Clock::time_point now = Minute::Clock::now()) const;
    /// One call has been let through.
    void count(const Rule& rule, const std::string& tool,
               Minute::Clock::time_point now = Minute::Clock::now());

    /// Servers whose answers are private (ServerTerms) and that the code may have read from.
    const std::set<std::string>& read() const { return read_; }
    void has_read(const std::string& server) { read_.insert(server); }

private:
    Minute* minute_;
    std::set<std::string> read_{};
    std::map<std::string, std::int64_t> by_rule_{};                         // by place
    std::map<std::pair<std::string, std::string>, std::int64_t> by_tool_{}; // "server.tool"
};

} // namespace policy
