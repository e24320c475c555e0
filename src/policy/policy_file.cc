#include "src/policy/policy_file.h"

#include <re2/re2.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "src/base/byte_size.h"
#include "src/base/json.h"
#include "src/base/json_tree.h"
#include "src/base/nearest.h"
#include "src/policy/toml_depth.h"

namespace policy {
namespace {

constexpr std::size_t most_errors = 20;
constexpr std::size_t most_rules = 200;
constexpr std::size_t most_texts = 64;
constexpr std::size_t most_text = 1024;
constexpr std::size_t most_conditions = 16;
constexpr std::size_t most_steps = 16;
constexpr std::size_t most_servers = 500;
constexpr std::int64_t most_pattern_memory = 1 << 20;
constexpr double most_seconds = 86'400;

template <class T> struct Choice {
    const char* name;
    T value;
};
constexpr Choice<Action> actions[] = {{"allow", Action::allow}, {"ask", Action::ask}, {"deny", Action::deny}};
constexpr Choice<Pin> pins[] = {{"ask", Pin::ask}, {"deny", Pin::deny}, {"warn", Pin::warn}};

// Reads one file; every error is kept, and reading goes on behind it.
class FileReader {
public:
    FileReader(std::string file, std::string home) : file_(std::move(file)), home_(std::move(home)) {
        rules_.file = file_;
    }

    void read(const toml::table& all) {
        check_keys(all, "", {"default", "strict_flow", "rule", "server"});
        read_choice(all, "default", actions, rules_.fallback);
        read_flag(all, "strict_flow", rules_.strict_flow);
        if (const toml::node* rules = all.get("rule")) read_rules(*rules);
        if (const toml::node* servers = all.get("server")) read_servers(*servers);
    }

    void fail(const toml::source_position& at, const std::string& what) {
        errors_.push_back(place(at) + ": " + what);
    }

    Rules take() {
        if (!errors_.empty()) throw FileErrors(errors_);
        return std::move(rules_);
    }

private:
    using Keys = std::initializer_list<const char*>;

    std::string place(const toml::source_position& at) const {
        return file_ + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
    }
    void fail(const toml::node& node, const std::string& what) { fail(node.source().begin, what); }

    void check_keys(const toml::table& table, const std::string& what, Keys known) {
        const std::vector<std::string> names(known.begin(), known.end());
        for (const auto& [key, node] : table) {
            const std::string name(key.str());
            if (std::find(names.begin(), names.end(), name) != names.end()) continue;
            std::string expected;
            for (const std::string& each : names) expected += (expected.empty() ? "" : ", ") + each;
            fail(key.source().begin, "there is no key " + shown(name) + what +
                                         base::did_you_mean(name, names) + ": expected " + expected);
        }
    }

    static std::string shown(const std::string& text) {
        return json::quote(text.size() > 80 ? text.substr(0, 80) + "…" : text);
    }

    bool read_flag(const toml::table& table, const char* key, bool& out) {
        const toml::node* node = table.get(key);
        if (!node) return false;
        const std::optional<bool> value = node->value_exact<bool>();
        if (!value) return fail(*node, std::string(key) + ": expected true or false"), false;
        out = *value;
        return true;
    }

    template <class T, std::size_t N>
    bool read_choice(const toml::table& table, const char* key, const Choice<T> (&choices)[N], T& out) {
        const toml::node* node = table.get(key);
        if (!node) return false;
        const std::string value = node->value_exact<std::string>().value_or("");
        std::string expected;
        std::vector<std::string> names;
        for (const Choice<T>& each : choices) {
            if (value == each.name) return out = each.value, true;
            expected += (expected.empty() ? "\"" : ", \"") + std::string(each.name) + '"';
            names.emplace_back(each.name);
        }
        return fail(*node,
                    std::string(key) + ": expected one of " + expected + base::did_you_mean(value, names)),
               false;
    }

    std::optional<std::string> text_of(const toml::node& node, const std::string& key) {
        const std::optional<std::string> text = node.value_exact<std::string>();
        if (!text) return fail(node, key + ": expected a text in quotes"), std::nullopt;
        if (text->empty() || text->size() > most_text)
            return fail(node, key + ": expected a text of 1 to 1024 bytes"), std::nullopt;
        return text;
    }

    // One text, or a list of them.
    template <class Each> void for_each(const toml::table& table, const char* key, Each each) {
        const toml::node* node = table.get(key);
        if (!node) return;
        const toml::array* list = node->as_array();
        if (!list) return each(*node);
        if (list->empty() || list->size() > most_texts)
            return fail(*node, std::string(key) + ": expected 1 to 64 values in the list");
        for (const toml::node& one : *list) each(one);
    }

    void read_texts(const toml::table& table, const char* key, std::vector<std::string>& out) {
        for_each(table, key, [&](const toml::node& node) {
            if (std::optional<std::string> text = text_of(node, key)) out.push_back(std::move(*text));
        });
    }

    void read_number(const toml::table& table, const char* key, std::optional<std::int64_t>& out) {
        const toml::node* node = table.get(key);
        if (!node) return;
        const std::optional<std::int64_t> value = node->value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > 10'000)
            return fail(*node, std::string(key) + ": expected a whole number from 1 to 10000");
        out = *value;
    }

    void read_size(const toml::table& table, const char* key, std::optional<std::int64_t>& out) {
        const toml::node* node = table.get(key);
        if (!node) return;
        std::optional<std::int64_t> value = node->value_exact<std::int64_t>();
        if (const std::optional<std::string> text = node->value_exact<std::string>())
            value = base::read_byte_size(*text);
        if (!value || *value < 1 || *value > (64 << 20))
            return fail(*node, std::string(key) + ": expected a size from 1 to \"64m\", such as \"64k\"");
        out = *value;
    }

    void read_seconds(const toml::table& table, const char* key,
                      std::optional<std::chrono::milliseconds>& out) {
        const toml::node* node = table.get(key);
        if (!node) return;
        std::optional<double> value = node->value_exact<double>();
        if (const auto whole = node->value_exact<std::int64_t>()) value = static_cast<double>(*whole);
        if (!value || !(*value >= 0.001 && *value <= most_seconds))
            return fail(*node, std::string(key) + ": expected a number of seconds from 0.001 to 86400");
        out = std::chrono::milliseconds(std::llround(*value * 1000));
    }

    void read_rules(const toml::node& node) {
        const toml::array* list = node.as_array();
        if (!list || (!list->empty() && !list->is_homogeneous<toml::table>()))
            return fail(node, "rule: expected [[rule]], in two brackets, above each rule");
        if (list->size() > most_rules)
            return fail(node, "expected at most 200 rules, and there are " + std::to_string(list->size()));
        for (const toml::node& each : *list) read_rule(*each.as_table());
    }

    void read_rule(const toml::table& table) {
        check_keys(table, " in a rule",
                   {"name", "server", "tool", "read_only", "destructive", "when", "action", "calls_per_run",
                    "calls_per_tool", "calls_per_minute", "max_arguments", "max_result", "timeout"});
        Rule rule;
        rule.place = file_ + ':' + std::to_string(table.source().begin.line);
        if (const toml::node* name = table.get("name")) rule.name = text_of(*name, "name").value_or("");
        read_texts(table, "server", rule.servers);
        read_texts(table, "tool", rule.tools);
        bool flag = false;
        if (read_flag(table, "read_only", flag)) rule.read_only = flag;
        if (read_flag(table, "destructive", flag)) rule.destructive = flag;
        read_number(table, "calls_per_run", rule.calls_per_run);
        read_number(table, "calls_per_tool", rule.calls_per_tool);
        read_number(table, "calls_per_minute", rule.calls_per_minute);
        read_size(table, "max_arguments", rule.max_arguments);
        read_size(table, "max_result", rule.max_result);
        read_seconds(table, "timeout", rule.timeout);
        if (!table.get("action"))
            fail(table, "a rule needs action = \"allow\", \"ask\" or \"deny\"");
        else
            read_choice(table, "action", actions, rule.action);
        if (const toml::node* when = table.get("when")) read_conditions(*when, rule);
        rules_.rules.push_back(std::move(rule));
    }

    void read_conditions(const toml::node& node, Rule& rule) {
        if (const toml::table* one = node.as_table()) return read_condition(*one, rule);
        const toml::array* list = node.as_array();
        if (!list || list->empty() || list->size() > most_conditions || !list->is_homogeneous<toml::table>())
            return fail(node, "when: expected { at = \"/path\", under = \"/folder\" }, or a list of 1 to 16 "
                              "such conditions");
        for (const toml::node& each : *list) read_condition(*each.as_table(), rule);
    }

    void read_condition(const toml::table& table, Rule& rule) {
        check_keys(table, " in a condition", {"at", "under", "one_of", "matches", "optional"});
        Condition condition;
        const toml::node* at = table.get("at");
        const std::optional<std::string> pointer = at ? at->value_exact<std::string>() : std::nullopt;
        const auto steps = pointer && pointer->size() <= most_text ? pointer_steps(*pointer) : std::nullopt;
        if (!steps || steps->empty() || steps->size() > most_steps)
            fail(at ? *at : table, "a condition needs at, the place in the arguments, such as "
                                   "at = \"/path\" or at = \"/paths/*\" (JSON Pointer, at most 16 steps)");
        else
            condition.at = *pointer, condition.steps = *steps;
        for_each(table, "under", [&](const toml::node& folder) { read_folder(folder, condition); });
        for_each(table, "one_of", [&](const toml::node& value) { read_scalar(value, condition); });
        if (const toml::node* pattern = table.get("matches")) read_pattern(*pattern, condition);
        read_flag(table, "optional", condition.optional);
        if (!table.get("under") && !table.get("one_of") && !table.get("matches"))
            fail(table, "a condition needs under, one_of or matches");
        rule.when.push_back(std::move(condition));
    }

    void read_folder(const toml::node& node, Condition& condition) {
        std::optional<std::string> text = text_of(node, "under");
        if (!text) return;
        if (!home_.empty() && (*text == "~" || text->starts_with("~/"))) text = home_ + text->substr(1);
        if (const std::optional<std::string> folder = normal_path(*text))
            condition.under.push_back(*folder);
        else
            fail(node, "under: expected a folder such as \"/home/me/notes\" or \"~/notes\"");
    }

    void read_scalar(const toml::node& node, Condition& condition) {
        if (const auto flag = node.value_exact<bool>())
            return condition.one_of.emplace_back(*flag ? "true" : "false"), void();
        if (const auto number = node.value_exact<std::int64_t>())
            return condition.one_of.emplace_back(
                       json::canonical(json::read_tree(std::to_string(*number), 1, 1))),
                   void();
        const std::optional<std::string> text = node.value_exact<std::string>();
        if (!text || text->size() > most_text)
            return fail(node, "one_of: expected texts, whole numbers, true or false");
        condition.one_of.push_back(json::quote(*text));
    }

    void read_pattern(const toml::node& node, Condition& condition) {
        const std::optional<std::string> text = text_of(node, "matches");
        if (!text) return;
        re2::RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(most_pattern_memory);
        auto compiled = std::make_shared<re2::RE2>(*text, options);
        if (!compiled->ok()) return fail(node, "matches: not a pattern of RE2: " + compiled->error());
        condition.pattern = *text;
        condition.matches = std::move(compiled);
    }

    void read_servers(const toml::node& node) {
        const toml::table* const servers = node.as_table();
        if (!servers) return fail(node, "server: expected [server.NAME] above what is said of one");
        if (servers->size() > most_servers) return fail(node, "expected at most 500 servers");
        for (const auto& [name, each] : *servers) {
            const toml::table* const table = each.as_table();
            if (table)
                read_server(std::string(name.str()), *table);
            else
                fail(each, "server: expected [server.NAME] above what is said of one");
        }
    }

    void read_server(const std::string& name, const toml::table& table) {
        check_keys(table, " of a server", {"trust_hints", "pin", "private", "public"});
        ServerTerms& terms = rules_.servers[name];
        read_flag(table, "trust_hints", terms.trust_hints);
        read_flag(table, "private", terms.holds_private);
        read_flag(table, "public", terms.is_public);
        Pin pin = Pin::warn;
        if (read_choice(table, "pin", pins, pin)) terms.pin = pin;
    }

    std::string file_;
    std::string home_;
    Rules rules_{};
    std::vector<std::string> errors_{};
};

std::string lines_of(const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), most_errors); ++i) text += (i ? "\n" : "") + all[i];
    if (all.size() > most_errors) text += "\n" + std::to_string(all.size() - most_errors) + " errors more";
    return text;
}

} // namespace

FileErrors::FileErrors(const std::vector<std::string>& all) : std::runtime_error(lines_of(all)) {}

Rules read_policy(const std::string& text, const std::string& file, const std::string& home) {
    if (text.size() > most_policy_file) throw FileErrors({file + ": larger than 256 KiB"});
    if (const std::size_t line = line_too_deep(text))
        throw FileErrors(
            {file + ':' + std::to_string(line) + ":1: more dots between names than a policy needs"});
    FileReader reader(file, home);
    try {
        reader.read(toml::parse(std::string_view(text), std::string_view(file)));
    } catch (const toml::parse_error& e) {
        reader.fail(e.source().begin, "not TOML: " + std::string(e.description()));
    }
    return reader.take();
}

} // namespace policy
