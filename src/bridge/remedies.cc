#include "src/bridge/remedies.h"

#include <algorithm>
#include <string_view>

namespace bridge {
namespace {

using sandbox::Status;

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

std::string on_time(const RunReport& report) {
    const std::string most = std::to_string(report.max_timeout_seconds);
    if (report.at_terminal)
        return "--timeout " + std::to_string(2 * report.timeout_seconds) +
               " gives it twice the time (or CORDON_TIMEOUT)";
    if (report.max_timeout_seconds == 0) return {};
    if (report.timeout_seconds < report.max_timeout_seconds)
        return "timeout=" + most + " is the most to ask for";
    return "more than " + most + " s only by Cordon's setting --max-timeout";
}

std::string on_memory(const RunReport& report) {
    const std::string twice = std::to_string(2 * (report.memory_bytes >> 20)) + "m";
    if (report.at_terminal) return "--memory " + twice + " gives it twice the memory (or CORDON_MEMORY)";
    return "work on less at a time; the limit is Cordon's setting --memory";
}

// "ModuleNotFoundError: No module named 'pandas.core'": the package.
std::string missing_package(const std::string& error) {
    constexpr std::string_view before = "ModuleNotFoundError: No module named '";
    if (!error.starts_with(before)) return {};
    const std::string name = error.substr(before.size());
    const std::string package = name.substr(0, name.find_first_of(".'"));
    const bool is_helper = package == "mcp" || package.starts_with("mcp_"); // has words of its own
    return is_helper ? "" : package;
}

std::string on_module(const RunReport& report, const std::string& package) {
    if (report.at_terminal)
        return "the image has no " + package +
               ", and nothing can be installed in a container: --image names one "
               "that has it; cordon image build datascience makes one with numpy, pandas and matplotlib";
    return "the image has no " + package + ", and nothing can be installed in here";
}

bool is_lookup(const std::string& error) {
    return has_any(error,
                   {"Temporary failure in name resolution", "Name or service not known", "gaierror",
                    "Failed to resolve", "NameResolutionError", "No address associated with hostname"});
}

bool is_unreachable(const std::string& error) { return has_any(error, {"Network is unreachable"}); }

} // namespace

std::vector<std::string> remedies(const RunReport& report) {
    const sandbox::Outcome& o = report.outcome;
    std::vector<std::string> lines;
    if (!report.refused.empty() || report.cancelled || o.status == Status::success) return lines;
    if (o.status == Status::timeout) lines.push_back(on_time(report));
    if (o.status == Status::out_of_memory) lines.push_back(on_memory(report));
    const std::string package = missing_package(o.error);
    if (!package.empty()) lines.push_back(on_module(report, package));
    if (is_lookup(o.error) || is_unreachable(o.error))
        lines.push_back(
            report.at_terminal
                ? "a container has no network: what code needs from outside comes from MCP servers "
                  "(cordon servers lists yours)"
                : "there is no network in here: the user's MCP servers are the way out");
    std::erase(lines, "");
    return lines;
}

} // namespace bridge
