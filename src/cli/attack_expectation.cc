#include "src/cli/attack_expectation.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <re2/re2.h>
#include <stdexcept>

namespace cli {
using namespace std::chrono_literals;

namespace {

constexpr auto grace = 20s;         // beyond its own time, for an attack that does not say `within`
constexpr auto most_timeout = 120s; // what a call may ask for by default
constexpr const char* never = "^(WON|WRONG).*";
const std::set<std::string> ends = {"success", "error", "timeout", "cancelled",
                                    "out_of_memory"}; // of code that ran

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument("attack's header: " + what); }

int number(const std::string& key, std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 3600)
        fail(key + ": expected a number, 1 to 3600");
    return value;
}

std::set<std::string> statuses(std::string_view value) {
    constexpr std::string_view before = "status=";
    if (!value.starts_with(before)) fail("expect: expected status=…");
    value.remove_prefix(before.size());
    if (value == "any") return ends;
    std::set<std::string> found;
    while (true) {
        const std::size_t comma = value.find(',');
        const std::string each(value.substr(0, comma));
        if (!ends.contains(each) && each != "refused") fail("expect: no such status: " + each);
        found.insert(each);
        if (comma == std::string_view::npos) return found;
        value.remove_prefix(comma + 1);
    }
}

// Line by line, as Python's re.M.
std::string by_lines(const std::string& pattern) { return "(?m)" + pattern; }

std::string checked_pattern(const std::string& key, std::string_view pattern) {
    std::string text(pattern);
    if (text != "any" && !re2::RE2(by_lines(text), re2::RE2::Quiet).ok())
        fail(key + ": no expression that RE2 takes: " + text);
    return text;
}

struct HeaderLine {
    std::string key;
    std::string_view value;
};

// The next "# key: value" at the front of `rest`, taken from it; an empty key at the header's end.
HeaderLine next_line(std::string_view& rest) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("# ") || colon == std::string_view::npos) return {};
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    return {std::string(line.substr(2, colon - 2)), line.substr(colon + 2)};
}

void apply(AttackExpectation& e, const std::string& key, std::string_view value) {
    if (key == "expect")
        e.statuses = statuses(value);
    else if (key == "expect-out")
        e.output = checked_pattern(key, value);
    else if (key == "expect-not-out")
        e.never_output = checked_pattern(key, value);
    else if (key == "hits-limit")
        e.hits_limit = value;
    else if (key == "needs-limit")
        e.needs_limit = value;
    else if (key == "arch")
        e.machine = value;
    else if (key == "timeout")
        e.timeout = std::chrono::seconds(number(key, value));
    else if (key == "within")
        e.within = std::chrono::seconds(number(key, value));
    else if (key == "runs")
        e.runs = number(key, value);
    else if (key == "alone" && value == "yes")
        e.alone = true;
    else
        fail("not understood: " + key + ": " + std::string(value));
}

std::string joined(const auto& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text.empty() ? "none" : text;
}

void complain_of_text(std::vector<std::string>& found, const AttackExpectation& e, const std::string& text) {
    if (e.output != "any" && !re2::RE2::PartialMatch(text, by_lines(e.output)))
        found.push_back("no \"" + e.output + "\" in the output");
    for (const std::string& pattern : {std::string(never), e.never_output}) {
        std::string match;
        if (!pattern.empty() && re2::RE2::PartialMatch(text, by_lines("(" + pattern + ")"), &match))
            found.push_back("the output has \"" + match.substr(0, 200) + '"');
    }
}

} // namespace

AttackExpectation read_expectation(std::string_view source) {
    constexpr std::string_view quotes = "\"\"\"";
    const std::size_t end = source.find(quotes, quotes.size());
    if (!source.starts_with(quotes) || end == std::string_view::npos) fail("expected a doc string");
    const std::string_view doc = source.substr(quotes.size(), end - quotes.size());
    AttackExpectation e;
    e.title = doc.substr(0, doc.find('\n'));
    std::string_view rest = source.substr(end + quotes.size());
    rest.remove_prefix(std::min(rest.find_first_not_of('\n'), rest.size()));
    bool within_said = false;
    for (HeaderLine line = next_line(rest); !line.key.empty(); line = next_line(rest)) {
        apply(e, line.key, line.value);
        within_said = within_said || line.key == "within";
    }
    if (e.statuses.empty()) fail("expected a line \"# expect: status=…\"");
    if (!within_said) e.within = e.timeout + grace;
    return e;
}

void be_patient(AttackExpectation& e, int times) {
    e.within *= times;
    if (e.statuses == std::set<std::string>{"success"})
        e.timeout = std::min<std::chrono::seconds>(e.timeout * times, most_timeout);
}

std::string cannot_be_tried(const AttackExpectation& e, const std::vector<std::string>& not_enforced,
                            std::string_view machine) {
    if (!e.needs_limit.empty() &&
        std::find(not_enforced.begin(), not_enforced.end(), e.needs_limit) != not_enforced.end())
        return "needs a limit on " + e.needs_limit + ", which is not in force here";
    if (!e.machine.empty() && e.machine != machine) return "is for " + e.machine;
    return {};
}

std::vector<std::string> complaints(const AttackExpectation& e, const AttackOutcome& outcome) {
    std::vector<std::string> found;
    if (!e.statuses.contains(outcome.status))
        found.push_back("status " + outcome.status + ", expected " + joined(e.statuses, "/"));
    if (outcome.took > e.within) {
        char text[80];
        std::snprintf(text, sizeof text, "took %.1f s, expected at most %lld", outcome.took.count(),
                      static_cast<long long>(e.within.count()));
        found.emplace_back(text);
    }
    complain_of_text(found, e, outcome.text);
    const bool named =
        std::find(outcome.limits.begin(), outcome.limits.end(), e.hits_limit) != outcome.limits.end();
    if (!e.hits_limit.empty() && !named && outcome.status != "out_of_memory")
        found.push_back("the result does not name the limit " + e.hits_limit + " (it names " +
                        joined(outcome.limits, ", ") + ")");
    return found;
}

} // namespace cli
