#include "src/policy/condition.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>

#include "src/base/json.h"
#include "src/base/json_tree.h"
#include "src/base/path_ways.h"

namespace policy {
namespace {

constexpr std::size_t most_scalar = 256; // bytes of a number that is compared

Truth truth(bool yes) { return yes ? Truth::yes : Truth::no; }

Truth is_under(const std::vector<std::string>& folders, std::string_view path) {
    const std::optional<std::string> plain = normal_path(path);
    if (!plain) return Truth::maybe;
    for (const std::string& folder : folders)
        if (base::path_holds(folder, *plain)) return Truth::yes;
    // with a link before it, ".." leads elsewhere than its text says
    const std::string with_ends = '/' + std::string(path) + '/';
    return with_ends.find("/../") == std::string::npos ? Truth::no : Truth::maybe;
}

Truth is_one_of(const std::vector<std::string>& all, std::string_view value) {
    const json::Kind kind = json::kind(value);
    if (kind == json::Kind::array || kind == json::Kind::object) return Truth::maybe;
    std::string text;
    if (kind == json::Kind::string)
        text = json::quote(json::unquote(value));
    else if (value.size() > most_scalar)
        return Truth::maybe;
    else
        text = json::canonical(json::read_tree(value, 1, 1));
    return truth(std::find(all.begin(), all.end(), text) != all.end());
}

Truth test(const Condition& condition, std::string_view value) {
    Truth result = Truth::yes;
    if (!condition.one_of.empty()) result = both(result, is_one_of(condition.one_of, value));
    if (condition.under.empty() && !condition.matches) return result;
    if (json::kind(value) != json::Kind::string) return both(result, Truth::maybe);
    const std::string text = json::unquote(value);
    if (!condition.under.empty()) result = both(result, is_under(condition.under, text));
    if (condition.matches) result = both(result, truth(re2::RE2::FullMatch(text, *condition.matches)));
    return result;
}

Truth at_step(const Condition& condition, std::size_t step, std::string_view value);

// Of several: all, none, or it depends.
class All {
public:
    void add(Truth one) { all_ = !any_ ? one : all_ == one ? all_ : Truth::maybe, any_ = true; }
    Truth result(Truth where_none) const { return any_ ? all_ : where_none; }

private:
    Truth all_ = Truth::yes;
    bool any_ = false;
};

Truth of_each(const Condition& condition, std::size_t step, std::string_view value) {
    const Truth absent = truth(condition.optional);
    All all;
    if (json::kind(value) == json::Kind::array) {
        for (const std::string_view each : json::elements(value)) all.add(at_step(condition, step, each));
        return all.result(absent);
    }
    if (json::kind(value) != json::Kind::object) return Truth::maybe;
    for (const json::Member& each : json::members(value)) all.add(at_step(condition, step, each.value));
    return all.result(absent);
}

std::optional<std::size_t> index_of(const std::string& step) {
    std::size_t index = 0;
    const char* const end = step.data() + step.size();
    const bool leading_zero = step.size() > 1 && step.front() == '0';
    const auto [stop, error] = std::from_chars(step.data(), end, index);
    if (step.empty() || leading_zero || stop != end || error != std::errc()) return std::nullopt;
    return index;
}

Truth at_step(const Condition& condition, std::size_t step, std::string_view value) {
    if (step == condition.steps.size()) return test(condition, value);
    const std::string& name = condition.steps[step];
    if (name == "*") return of_each(condition, step + 1, value);
    const Truth absent = truth(condition.optional);
    if (json::kind(value) == json::Kind::object) {
        const auto member = json::member(value, name);
        return member ? at_step(condition, step + 1, *member) : absent;
    }
    if (json::kind(value) != json::Kind::array) return Truth::maybe;
    const std::vector<std::string_view> elements = json::elements(value);
    const std::optional<std::size_t> index = index_of(name);
    return index && *index < elements.size() ? at_step(condition, step + 1, elements[*index]) : absent;
}

std::string either(const std::vector<std::string>& all) {
    std::string text;
    constexpr std::size_t most = 5;
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i) text += (i ? " or " : "") + all[i];
    return all.size() > most ? text + " or " + std::to_string(all.size() - most) + " more" : text;
}

} // namespace

Truth both(Truth a, Truth b) { return std::min(a, b); }

Truth holds(const Condition& condition, std::string_view arguments) {
    return at_step(condition, 0, arguments);
}

std::string in_words(const Condition& condition) {
    std::string text = condition.at.empty() ? "the arguments" : condition.at;
    const char* between = " is ";
    const auto add = [&](const std::string& what) {
        text += between + what;
        between = " and ";
    };
    if (!condition.under.empty()) add("under " + either(condition.under));
    if (!condition.one_of.empty()) add(either(condition.one_of));
    if (condition.matches) add("of the form " + condition.pattern);
    return text + (condition.optional ? ", or left out" : "");
}

std::optional<std::vector<std::string>> pointer_steps(std::string_view pointer) {
    std::vector<std::string> steps;
    if (!pointer.empty() && pointer.front() != '/') return std::nullopt;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        if (pointer[i] == '/') {
            steps.emplace_back();
        } else if (pointer[i] != '~') {
            steps.back() += pointer[i];
        } else {
            const char code = i + 1 < pointer.size() ? pointer[++i] : ' ';
            if (code != '0' && code != '1') return std::nullopt;
            steps.back() += code == '0' ? '~' : '/';
        }
    }
    return steps;
}

std::optional<std::string> normal_path(std::string_view path) {
    if (!path.starts_with('/') || path.find('\0') != std::string_view::npos) return std::nullopt;
    std::string out;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view name = path.substr(at, end - at);
        at = end + 1;
        if (name.empty() || name == ".") continue;
        if (name == "..")
            out.resize(out.empty() ? 0 : out.rfind('/')); // of "/" it is "/"
        else
            (out += '/') += name;
    }
    return out.empty() ? "/" : out;
}

} // namespace policy
