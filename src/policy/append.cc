#include "src/policy/append.h"

#include <stdexcept>

#include "src/base/json.h"
#include "src/policy/policy_file.h"

namespace policy {
namespace {

// Where line `number` (from 1) begins; npos: there are fewer.
std::size_t begin_of_line(const std::string& text, std::size_t number) {
    std::size_t at = 0;
    for (; number > 1 && at != std::string::npos; --number) {
        at = text.find('\n', at);
        if (at != std::string::npos) ++at;
    }
    return at < text.size() ? at : std::string::npos;
}

// Of a table in an array, whose place is its header; npos where it is written in another way.
std::size_t begin_of_rule(const std::string& text, const Rule& rule) {
    const std::size_t colon = rule.place.rfind(':');
    const std::size_t line = colon == std::string::npos ? 0 : std::stoul("0" + rule.place.substr(colon + 1));
    const std::size_t at = line > 0 ? begin_of_line(text, line) : std::string::npos;
    if (at == std::string::npos) return at;
    const std::size_t word = text.find_first_not_of(" \t", at);
    return word != std::string::npos && text.compare(word, 2, "[[") == 0 ? at : std::string::npos;
}

} // namespace

std::string allowing_rule(const Target& target) {
    return "[[rule]]\nserver = " + json::quote(target.server) + "\ntool = " + json::quote(target.tool) +
           "\naction = \"allow\"\n";
}

bool can_be_replaced(const Rule* asking) {
    if (!asking) return true;
    const Rule& r = *asking;
    const bool limited = r.calls_per_run || r.calls_per_tool || r.calls_per_minute || r.max_arguments ||
                         r.max_result || r.timeout;
    return !r.by_flag && r.when.empty() && !r.read_only && !r.destructive && !limited;
}

std::string with_allowing_rule(const std::string& text, const std::string& file, const std::string& home,
                               const Rule* asking, const Target& target) {
    const std::size_t at = asking ? begin_of_rule(text, *asking) : text.size();
    if (at == std::string::npos)
        throw std::runtime_error(file + ": the rule that asks is not there any more");
    const Match before = match(read_policy(text, file, home), target, "{}");
    const bool same = before.action == Action::ask && (before.rule != nullptr) == (asking != nullptr);
    if (!same) throw std::runtime_error(file + " has changed");
    const bool open_line = at > 0 && text[at - 1] != '\n';
    std::string fresh = text.substr(0, at) + (open_line ? "\n" : "") + allowing_rule(target) + '\n';
    fresh += text.substr(at);
    if (match(read_policy(fresh, file, home), target, "{}").action != Action::allow)
        throw std::runtime_error(file + ": the rule would not allow it there");
    return fresh;
}

} // namespace policy
