#include "src/schema/problem.h"

#include <algorithm>
#include <optional>
#include <set>

#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/base/text.h"

namespace schema {

namespace {

using Kind = Problem::Kind;

constexpr std::size_t most_shown = 12;     // names or values of what is allowed
constexpr std::size_t most_text = 60;      // of one value or name
constexpr std::size_t most_compared = 100; // values that a hint is sought among

/// At most `most` bytes, not cut within a character.
std::string cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "…";
}

std::string list(const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size() && i < most_shown; ++i)
        text += (i > 0 ? ", " : "") + cut(all[i], 2 * most_text);
    if (all.size() > most_shown) text += ", … (" + std::to_string(all.size()) + " in all)";
    return text;
}

std::string one_of(const std::vector<std::string>& all) {
    if (all.empty()) return "nothing";
    return (all.size() > 1 ? "one of " : "") + list(all);
}

std::string either(const std::vector<std::string>& types) {
    std::string text;
    for (std::size_t i = 0; i < types.size(); ++i)
        text += (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") + types[i];
    return text;
}

/// A short text for what is allowed by one problem, to be joined with others: `"text"`, `null`, `array`.
std::vector<std::string> alternatives(const Problem& problem) {
    if (problem.kind == Kind::other) return {problem.expected};
    return problem.allowed;
}

/// The one place where all branches fail, or nullopt.
std::optional<std::string> common_place(const std::vector<std::vector<Problem>>& branches) {
    const std::string& place = branches.front().front().path;
    for (const auto& branch : branches)
        if (branch.size() != 1 || branch.front().path != place || branch.front().kind == Kind::missing ||
            branch.front().kind == Kind::extra)
            return std::nullopt;
    return place;
}

/// What was probably meant, of JSON texts of which most are strings.
std::string hint_for(const std::string& given, const std::vector<std::string>& allowed) {
    if (!given.starts_with('"') || allowed.size() > most_compared) return "";
    std::vector<std::string> words;
    for (const std::string& each : allowed)
        if (each.starts_with('"')) words.push_back(json::unquote(each));
    return base::did_you_mean(json::unquote(given), words);
}

/// What all branches expect of the one place where they fail.
Problem join(const std::vector<std::vector<Problem>>& branches) {
    Problem joined = branches.front().front();
    bool same_kind = true;
    std::vector<std::string> allowed;
    std::set<std::string> known; // there may be tens of thousands
    for (const auto& branch : branches) {
        same_kind = same_kind && branch.front().kind == joined.kind;
        for (std::string& each : alternatives(branch.front()))
            if (known.insert(each).second) allowed.push_back(std::move(each));
    }
    if (same_kind && joined.kind != Kind::other) {
        joined.allowed = std::move(allowed);
        if (joined.kind == Kind::value) joined.hint = hint_for(joined.given, joined.allowed);
    } else {
        joined.kind = Kind::other;
        joined.expected = either(allowed);
    }
    return joined;
}

/// How far a branch is from what was meant: a wrong type or mark of the whole says that another one was.
std::size_t distance(const std::string& path, const std::vector<Problem>& branch) {
    std::size_t sum = 0;
    for (const Problem& problem : branch) {
        if (problem.kind == Kind::type && problem.path == path)
            sum += 1000;
        else if (problem.kind == Kind::value)
            sum += 50;
        else
            sum += problem.kind == Kind::missing ? 10 : 8;
    }
    return sum;
}

} // namespace

std::string Problem::line() const {
    std::string place = cut(path.empty() ? "arguments" : path, 200);
    switch (kind) {
    case Kind::type:
        return place + ": got " + given + ", expected " + either(allowed) + hint;
    case Kind::value:
        return place + ": got " + given + ", expected " + one_of(allowed) + hint;
    case Kind::missing:
        return place + ": missing" + (expected.empty() ? "" : ", expected " + cut(expected, 200)) + hint;
    case Kind::extra:
        return place + ": not a known name" +
               (allowed.empty() ? ", none is allowed" : ", expected " + one_of(allowed)) + hint;
    case Kind::other:
        return place + ": got " + given + ", expected " + cut(expected, 300) + hint;
    }
    return place;
}

std::string show(const json::Tree& value) {
    switch (value.kind) {
    case json::Kind::object:
        return value.members.empty() ? "{}" : "an object";
    case json::Kind::array:
        return value.items.empty() ? "[]" : "an array of " + std::to_string(value.items.size());
    case json::Kind::string:
        return json::quote(cut(value.text, most_text));
    case json::Kind::number:
        return cut(value.text, most_text);
    case json::Kind::boolean:
        return value.flag ? "true" : "false";
    case json::Kind::null:
        return "null";
    }
    return "";
}

std::string member_path(const std::string& path, std::string_view name) {
    const bool is_plain = !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
                          std::all_of(name.begin(), name.end(), [](char c) {
                              return c == '_' || base::is_letter(c) || base::is_digit(c) ||
                                     static_cast<unsigned char>(c) >= 0x80;
                          });
    if (!is_plain) return path + '[' + json::quote(cut(name, most_text)) + ']';
    return path.empty() ? std::string(name) : path + '.' + std::string(name);
}

std::string item_path(const std::string& path, std::size_t index) {
    return path + '[' + std::to_string(index) + ']';
}

std::size_t cost_of_alternatives(const std::vector<std::vector<Problem>>& branches) {
    std::size_t cost = 0;
    std::size_t values = 0;
    for (const auto& branch : branches) {
        cost += branch.size();
        for (const Problem& problem : branch) cost += problem.allowed.size();
        values += branch.front().allowed.size();
        if (branch.front().kind == Kind::value && values <= most_compared)
            cost += base::nearest_cost(branch.front().given, branch.front().allowed);
    }
    return cost;
}

std::vector<Problem> nearest_alternative(const std::string& path,
                                         std::vector<std::vector<Problem>> branches) {
    if (common_place(branches)) return {join(branches)};
    // branches for quite another type ("or null") are no help to one who gave an object
    const auto is_other_type = [&](const std::vector<Problem>& branch) {
        return distance(path, branch) >= 1000;
    };
    std::vector<std::vector<Problem>> near;
    std::copy_if(branches.begin(), branches.end(), std::back_inserter(near),
                 [&](const auto& branch) { return !is_other_type(branch); });
    if (near.empty()) near = std::move(branches);
    if (common_place(near)) return {join(near)};
    // all have a mark ("kind", "type") that is not theirs in the same place: its values are what is allowed
    std::vector<std::vector<Problem>> marks;
    for (const auto& branch : near) {
        const auto mark = std::find_if(branch.begin(), branch.end(),
                                       [](const Problem& p) { return p.kind == Kind::value; });
        if (mark != branch.end()) marks.push_back({*mark});
    }
    if (marks.size() == near.size() && common_place(marks)) return {join(marks)};
    return *std::min_element(near.begin(), near.end(), [&](const auto& a, const auto& b) {
        return distance(path, a) < distance(path, b);
    });
}

} // namespace schema
