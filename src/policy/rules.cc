#include "src/policy/rules.h"

#include <stdexcept>

#include "src/base/json.h"
#include "src/base/text.h"

namespace policy {
namespace {

constexpr std::size_t most_flag_rules = 200;

Rule flag_rule(const char* flag, Action action, const std::string& text) {
    Rule rule;
    rule.place = std::string(flag) + ' ' + text;
    rule.by_flag = true;
    rule.action = action;
    return rule;
}

// "a.b.c" may be tool "b.c" of server "a", or tool "c" of server "a.b".
void add_ways(const char* flag, Action action, const std::string& text, std::vector<Rule>& to) {
    const std::size_t first = text.find('.');
    if (first == std::string::npos) {
        to.push_back(flag_rule(flag, action, text));
        to.back().servers = {text};
        return;
    }
    for (std::size_t dot = first; dot != std::string::npos; dot = text.find('.', dot + 1)) {
        if (dot == 0 || dot + 1 == text.size()) continue;
        to.push_back(flag_rule(flag, action, text));
        to.back().servers = {text.substr(0, dot)};
        to.back().tools = {text.substr(dot + 1)};
    }
}

void add_flag(const char* flag, Action action, const std::string& list, std::vector<Rule>& to) {
    if (list.empty()) return;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        const std::string text(base::trimmed(std::string_view(list).substr(at, comma - at)));
        at = comma + 1;
        const std::size_t before = to.size();
        if (!text.empty() && text.size() <= 256) add_ways(flag, action, text, to);
        if (to.size() == before)
            throw std::invalid_argument(
                std::string(flag) + ": expected SERVER or SERVER.TOOL, names or globs such as github.get_*, "
                                    "with commas between several");
        if (to.size() > most_flag_rules)
            throw std::invalid_argument(std::string(flag) + ": more than 200 names");
    }
}

} // namespace

const char* word(Action action) {
    switch (action) {
    case Action::allow:
        return "allow";
    case Action::ask:
        return "ask";
    case Action::deny:
        return "deny";
    }
    return "deny";
}

std::string called(const Rule& rule) {
    if (rule.by_flag) return rule.place;
    return rule.name.empty() ? "the rule at " + rule.place
                             : "rule " + json::quote(rule.name) + " (" + rule.place + ")";
}

std::vector<Rule> rules_of_flags(const std::string& deny, const std::string& ask, const std::string& allow) {
    std::vector<Rule> rules;
    add_flag("--deny", Action::deny, deny, rules);
    add_flag("--ask", Action::ask, ask, rules);
    add_flag("--allow", Action::allow, allow, rules);
    return rules;
}

} // namespace policy
