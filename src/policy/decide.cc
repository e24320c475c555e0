#include "src/policy/decide.h"

#include <algorithm>
#include <optional>

#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/policy/glob.h"

namespace policy {
namespace {

bool fits_any(const std::vector<std::string>& patterns, const std::string& name) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                           [&](const std::string& pattern) { return fits(pattern, name); });
}

bool names(const Rule& rule, const Target& target) {
    return fits_any(rule.servers, target.server) && fits_any(rule.tools, target.tool);
}

std::optional<bool> hint(const Target& target, const char* key) {
    if (target.annotations.empty()) return std::nullopt;
    const auto value = json::member(target.annotations, key);
    if (!value || json::kind(*value) != json::Kind::boolean) return std::nullopt;
    return *value == "true";
}

bool is_trusted(const Rules& rules, const std::string& server) {
    const auto found = rules.servers.find(server);
    return found != rules.servers.end() && found->second.trust_hints;
}

// By MCP's defaults: not read-only, and destructive unless read-only.
Truth hints_fit(const Rules& rules, const Rule& rule, const Target& target) {
    if (!rule.read_only && !rule.destructive) return Truth::yes;
    if (!is_trusted(rules, target.server)) return Truth::maybe;
    const bool read_only = hint(target, "readOnlyHint").value_or(false);
    const bool destructive = !read_only && hint(target, "destructiveHint").value_or(true);
    const bool fit = (!rule.read_only || *rule.read_only == read_only) &&
                     (!rule.destructive || *rule.destructive == destructive);
    return fit ? Truth::yes : Truth::no;
}

// Whether the rule fits; and the first condition that does not hold.
Truth conditions_hold(const Rule& rule, std::string_view arguments, const Condition** broken) {
    Truth all = Truth::yes;
    for (const Condition& each : rule.when) {
        const Truth one = holds(each, arguments);
        if (one != Truth::yes && !*broken) *broken = &each;
        all = both(all, one);
        if (all == Truth::no) break;
    }
    return all;
}

std::string to_allow(const Rules& rules, const Target& target, const Rule* rule) {
    const std::string flag = "--allow " + target.server + '.' + target.tool;
    if (rule && rule->by_flag) return "To allow it, the user can start Cordon without " + rule->place + ".";
    std::string text = "To allow it, the user can ";
    text += rules.file.empty() ? "start Cordon with " + flag + ", or write into its policy file"
            : rule             ? "write above that rule"
                               : "write into " + rules.file;
    text += ":\n    [[rule]]\n    server = " + json::quote(target.server) +
            "\n    tool = " + json::quote(target.tool) + "\n    action = \"allow\"";
    return text;
}

std::string by_what(const Rules& rules, const Rule* rule) {
    if (rule) return called(*rule);
    return "the policy's default (" + (rules.file.empty() ? "no file" : rules.file) + ")";
}

std::string refusal_of(const Rules& rules, const Target& target, const Match& match) {
    const bool asks = match.action == Action::ask;
    std::string text = target.server + '.' + target.tool +
                       (asks ? " must be asked of the user, by " : " is refused by ") +
                       by_what(rules, match.rule) + ". ";
    if (match.missed && match.condition)
        text += "Before it, " + called(*match.missed) + " would decide, but only where " +
                in_words(*match.condition) + ". ";
    return text + to_allow(rules, target, match.rule);
}

// "notes, mail": private servers that were read, but for the target.
std::string read_from(const Target& target, const Usage& usage) {
    std::string from;
    for (const std::string& server : usage.read())
        if (server != target.server) from += (from.empty() ? "" : ", ") + server;
    return from;
}

std::string read_before(const Target& target, const Usage& usage) {
    return "data that could leave: this run has read from " + read_from(target, usage) + ", which is private";
}

// Where data that only the user should see could leave; "" where it cannot.
std::string flow(const Rules& rules, const Target& target, const Usage& usage) {
    const std::string from = rules.is_public(target.server) ? read_from(target, usage) : "";
    if (from.empty()) return {};
    const bool marked = rules.servers.contains(target.server) && rules.servers.at(target.server).is_public;
    return target.server + '.' + target.tool + " must be asked of the user: this run has read from " + from +
           " (private in " + rules.file + "), and " + target.server +
           (marked ? " is public there. " : " is not marked private there, which strict_flow wants. ") +
           "Data could leave by it. Calls of it before the first one of " + from + " are not asked.";
}

} // namespace

bool Rules::is_private(const std::string& server) const {
    const auto found = servers.find(server);
    return found != servers.end() && found->second.holds_private;
}

bool Rules::is_public(const std::string& server) const {
    const auto found = servers.find(server);
    const bool marked = found != servers.end() && found->second.is_public;
    return marked || (strict_flow && !is_private(server));
}

bool Rules::watches_flow() const {
    bool some_private = false, some_public = strict_flow;
    for (const auto& [name, terms] : servers) {
        some_private = some_private || terms.holds_private;
        some_public = some_public || terms.is_public;
    }
    return some_private && some_public;
}

Match match(const Rules& rules, const Target& target, std::string_view arguments) {
    Match found;
    const Rule* asks = nullptr; // it could match, and asks; what comes later may refuse
    for (const Rule& rule : rules.rules) {
        if (!names(rule, target)) continue;
        const Condition* broken = nullptr;
        Truth fit = hints_fit(rules, rule, target);
        if (fit != Truth::no) fit = both(fit, conditions_hold(rule, arguments, &broken));
        if (broken && rule.action != Action::deny && !found.missed) {
            found.missed = &rule;
            found.condition = broken;
        }
        if (fit == Truth::no || (fit == Truth::maybe && rule.action == Action::allow)) continue;
        if (fit == Truth::maybe && rule.action == Action::ask) {
            if (!asks) asks = &rule;
            continue;
        }
        found.rule = &rule;
        break;
    }
    found.action = found.rule ? found.rule->action : rules.fallback;
    if (asks && found.action != Action::deny) {
        found.rule = asks;
        found.action = Action::ask;
    }
    return found;
}

Decision decide(const Rules& rules, const Target& target, const Match& match, std::size_t argument_bytes,
                Usage& usage) {
    Decision decision{match.action, match.rule};
    const std::string tool = target.server + '.' + target.tool;
    if (match.rule && match.action != Action::deny) {
        const std::string limit = usage.limit(*match.rule, tool, argument_bytes);
        if (!limit.empty()) {
            decision.action = Action::deny;
            decision.by_limit = true;
            decision.refusal = tool + " is refused: " + called(*match.rule) + " has " + limit +
                               ". To allow more, the user can raise that number there.";
            return decision;
        }
    }
    if (match.answered) decision.action = Action::allow;
    const std::string leaves =
        match.answered || decision.action == Action::deny ? "" : flow(rules, target, usage);
    if (!leaves.empty()) {
        decision.action = Action::ask;
        decision.flow = read_before(target, usage);
        decision.refusal = leaves;
        return decision;
    }
    if (decision.action != Action::allow) decision.refusal = refusal_of(rules, target, match);
    if (decision.action == Action::allow && match.rule) usage.count(*match.rule, tool);
    if (decision.action == Action::allow && rules.is_private(target.server)) usage.has_read(target.server);
    return decision;
}

Decision decide(const Rules& rules, const Target& target, std::string_view arguments, Usage& usage) {
    return decide(rules, target, match(rules, target, arguments), arguments.size(), usage);
}

Outlook outlook(const Rules& rules, const Target& target) {
    Outlook all;
    bool can_ask = false; // beside whatever comes later, unless that refuses
    const auto add = [&](Action action) {
        all.may_pass = all.may_pass || action == Action::allow;
        all.may_ask = all.may_ask || action == Action::ask;
        all.may_fail = all.may_fail || action == Action::deny;
    };
    for (const Rule& rule : rules.rules) {
        if (!names(rule, target)) continue;
        const Truth hints = hints_fit(rules, rule, target);
        if (hints == Truth::no || (hints == Truth::maybe && rule.action == Action::allow)) continue;
        const bool by_hints_alone = rule.when.empty();
        if (hints == Truth::maybe && rule.action == Action::ask && by_hints_alone) {
            can_ask = true;
            continue;
        }
        add(rule.action);
        if (by_hints_alone) {
            if (can_ask && all.may_pass) all = Outlook{false, true, all.may_fail};
            return all;
        }
    }
    add(rules.fallback);
    if (can_ask && all.may_pass) all = Outlook{false, true, all.may_fail};
    return all;
}

// Whatever the tools are called: only a rule for all tools, without conditions, decides for all of them.
std::string server_refusal(const Rules& rules, const std::string& server) {
    const auto refused = [&](const Rule* rule) {
        return "server " + json::quote(server) + " is refused by " + by_what(rules, rule) + ". " +
               to_allow(rules, Target{server, "*"}, rule);
    };
    for (const Rule& rule : rules.rules) {
        if (!fits_any(rule.servers, server)) continue;
        if (rule.action != Action::deny) return {};
        const auto any = [](const std::string& tool) { return tool == "*"; };
        const bool all_tools = rule.tools.empty() || std::any_of(rule.tools.begin(), rule.tools.end(), any);
        const bool plain = rule.when.empty() && !rule.read_only && !rule.destructive;
        if (all_tools && plain) return refused(&rule);
    }
    return rules.fallback == Action::deny ? refused(nullptr) : std::string();
}

std::vector<std::string> unmet(const Rules& rules, const std::vector<std::string>& servers) {
    std::vector<std::string> lines;
    for (const Rule& rule : rules.rules) {
        const auto known = [&](const std::string& server) { return fits_any(rule.servers, server); };
        const bool split = rule.by_flag && std::count(rule.place.begin(), rule.place.end(), '.') > 1;
        if (split || rule.servers.empty() || std::any_of(servers.begin(), servers.end(), known)) continue;
        lines.push_back(called(rule) + ": no server is called " + json::quote(rule.servers.front()) +
                        base::did_you_mean(rule.servers.front(), servers));
    }
    for (const auto& [name, terms] : rules.servers)
        if (std::find(servers.begin(), servers.end(), name) == servers.end())
            lines.push_back(rules.file + ": no server is called " + json::quote(name) +
                            base::did_you_mean(name, servers));
    return lines;
}

} // namespace policy
