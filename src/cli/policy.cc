#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/policy/decide.h"

namespace cli {
namespace asio = boost::asio;

namespace {

constexpr int refused_status = 1, asked_status = 3;

// The names of a rule's tools, as SERVER.TOOL: "files.read_*, files.list_*".
std::string names_of(const policy::Rule& rule) {
    const std::vector<std::string> any = {"*"};
    std::string text;
    for (const std::string& server : rule.servers.empty() ? any : rule.servers)
        for (const std::string& tool : rule.tools.empty() ? any : rule.tools)
            text += (text.empty() ? "" : ", ") + server + '.' + tool;
    return text;
}

std::vector<std::string> limits_of(const policy::Rule& rule) {
    std::vector<std::string> all;
    const auto add = [&](const char* key, const std::optional<std::int64_t>& value) {
        if (value) all.push_back(std::string(key) + " = " + std::to_string(*value));
    };
    add("calls_per_run", rule.calls_per_run);
    add("calls_per_tool", rule.calls_per_tool);
    add("calls_per_minute", rule.calls_per_minute);
    add("max_arguments", rule.max_arguments);
    add("max_result", rule.max_result);
    if (rule.timeout) all.push_back("timeout = " + std::to_string(rule.timeout->count()) + " ms");
    return all;
}

std::vector<std::string> conditions_of(const policy::Rule& rule) {
    std::vector<std::string> all;
    if (rule.read_only) all.push_back(*rule.read_only ? "it only reads" : "it does not only read");
    if (rule.destructive) all.push_back(*rule.destructive ? "it destroys" : "it does not destroy");
    for (const policy::Condition& each : rule.when) all.push_back(policy::in_words(each));
    return all;
}

std::vector<std::string> terms_of(const policy::ServerTerms& terms) {
    std::vector<std::string> all;
    if (terms.trust_hints) all.emplace_back("trust_hints");
    if (terms.holds_private) all.emplace_back("private");
    if (terms.is_public) all.emplace_back("public");
    if (terms.pin) all.emplace_back("pin");
    return all;
}

Shown as_text(const policy::Rule& rule) {
    Shown text = "  " + Shown::line(policy::word(rule.action)) + " " + Shown::line(names_of(rule));
    const std::vector<std::string> conditions = conditions_of(rule), limits = limits_of(rule);
    if (!conditions.empty()) text += " where " + Shown::joined(conditions, " and ");
    if (!limits.empty()) text += "; " + Shown::joined(limits, ", ");
    return text + "\n      " + Shown::line(policy::called(rule)) + "\n";
}

std::vector<std::string> server_names(App& app) {
    std::vector<std::string> names;
    for (const bridge::CatalogueServer& each : app.catalogue().servers()) names.push_back(each.name);
    return names;
}

Shown as_text(App& app, const policy::Rules& rules) {
    Shown text = rules.file.empty() ? Shown("there is no policy file\n")
                                    : "policy file: " + Shown::line(rules.file) + "\n";
    text += "rules, of which the first that matches decides:\n";
    for (const policy::Rule& rule : rules.rules) text += as_text(rule);
    text += "  " + Shown::line(policy::word(rules.fallback)) + " all else\n";
    for (const auto& [name, terms] : rules.servers)
        text += "server " + Shown::line(name) + ": " + Shown::joined(terms_of(terms), ", ") + "\n";
    for (const std::string& line : policy::unmet(rules, server_names(app)))
        text += "NOTE " + Shown::line(line) + "\n";
    return text;
}

Shown as_json(App& app, const policy::Rules& rules) {
    json::Writer w;
    w.object().field("file", rules.file).field("default", policy::word(rules.fallback)).key("rules").array();
    for (const policy::Rule& rule : rules.rules) {
        w.object().field("action", policy::word(rule.action)).field("name", rule.name);
        w.field("place", rule.place).field("server", rule.servers).field("tool", rule.tools);
        w.field("conditions", conditions_of(rule)).field("limits", limits_of(rule)).end();
    }
    w.end().field("notes", policy::unmet(rules, server_names(app))).end();
    return Shown::json(w.take()) + "\n";
}

// The configured server whose name, or alias, begins "SERVER.TOOL"; of several the longest.
policy::Target target_of(App& app, const std::string& text) {
    policy::Target target;
    std::size_t longest = 0;
    for (const bridge::CatalogueServer& each : app.catalogue().servers()) {
        for (const std::string& name : {each.name, each.alias, "mcp_" + each.alias}) {
            if (name.size() <= longest || !text.starts_with(name + '.')) continue;
            longest = name.size();
            target = policy::Target{each.name, text.substr(longest + 1)};
        }
    }
    if (!target.tool.empty()) return target;
    const std::string server = text.substr(0, text.find('.'));
    if (server == text || text.ends_with('.') || text.starts_with('.'))
        throw UsageError("policy test " + text + ": expected SERVER.TOOL, such as github.get_issue");
    throw UsageError("policy test: there is no server " + json::quote(server) +
                     base::did_you_mean(server, server_names(app)) + "; cordon servers shows all");
}

std::string checked_arguments(const std::vector<std::string>& given) {
    const std::string text = given.empty() ? "{}" : given.front();
    try {
        json::check(text);
    } catch (const json::Error& e) {
        throw UsageError(std::string("policy test: the arguments are no JSON: ") + e.what());
    }
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (text[first] != '{')
        throw UsageError("policy test: the arguments must be a JSON object: '{\"path\": …}'");
    return text.substr(first);
}

// What a server says of its tools is asked of it only if some rule wants to know, and believes it.
bool needs_hints(const policy::Rules& rules, const std::string& server) {
    const auto found = rules.servers.find(server);
    if (found == rules.servers.end() || !found->second.trust_hints) return false;
    return std::any_of(rules.rules.begin(), rules.rules.end(),
                       [](const policy::Rule& rule) { return rule.read_only || rule.destructive; });
}

asio::awaitable<void> learn_hints(App* app, policy::Target* target) {
    const bridge::Catalogue::Tools tools = co_await app->catalogue().tools(target->server);
    std::vector<std::string> names;
    for (const bridge::CatalogueTool& tool : *tools) {
        names.push_back(tool.name);
        if (tool.name == target->tool) target->annotations = tool.annotations;
    }
    if (std::find(names.begin(), names.end(), target->tool) == names.end())
        tell("server " + Shown::line(target->server) + " has no tool " + Shown::line(target->tool) +
             Shown::line(base::did_you_mean(target->tool, names)));
}

struct Tested {
    policy::Target target;
    std::string arguments;
    bool has_arguments;
    bool json;
};

int say_decision(const policy::Rules& rules, const Tested& tested) {
    policy::Usage usage;
    const policy::Decision decision = policy::decide(rules, tested.target, tested.arguments, usage);
    const policy::Outlook outlook = policy::outlook(rules, tested.target);
    const bool depends = !tested.has_arguments && outlook.ways() > 1;
    const std::string tool = tested.target.server + '.' + tested.target.tool;
    const std::string by = decision.rule ? policy::called(*decision.rule) : "the default";
    if (tested.json) {
        json::Writer w;
        w.object().field("tool", tool).field("decision", policy::word(decision.action)).field("rule", by);
        w.field("reason", decision.refusal).field("dependsOnArguments", depends).end();
        say_line(Shown::json(w.take()));
    } else {
        const bool allowed = decision.action == policy::Action::allow;
        say_line(allowed ? Shown::line(tool) + " is allowed by " + Shown::line(by)
                         : Shown::block(decision.refusal));
        if (allowed && decision.rule && !limits_of(*decision.rule).empty())
            say_line("as long as: " + Shown::joined(limits_of(*decision.rule), ", "));
        if (depends) say_line("It depends on the arguments, and none were given: add them as JSON.");
    }
    if (decision.action == policy::Action::allow) return 0;
    return decision.action == policy::Action::ask ? asked_status : refused_status;
}

asio::awaitable<int> test(App* app, Tested tested) {
    const std::shared_ptr<const policy::Rules> rules = app->policy().current();
    if (needs_hints(*rules, tested.target.server)) co_await learn_hints(app, &tested.target);
    const int status = say_decision(*rules, tested);
    co_await app->shut_down();
    co_return status;
}

} // namespace

int policy(const Options& options) {
    asio::io_context loop(1);
    App app(loop, options.settings, own_environment());
    const std::shared_ptr<const policy::Rules> rules = app.policy().current();
    if (options.action.empty()) {
        say(options.json ? as_json(app, *rules) : as_text(app, *rules));
        return 0;
    }
    Tested tested{target_of(app, options.file), checked_arguments(options.arguments),
                  !options.arguments.empty(), options.json};
    return run_to_end(loop, test(&app, std::move(tested)));
}

} // namespace cli
