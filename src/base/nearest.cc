#include "src/base/nearest.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/base/json.h"
#include "src/base/text.h"

namespace base {

namespace {

constexpr std::size_t most_length =
    96; // of what is compared: names come from anywhere, and the work grows with the square

struct Form {
    std::string plain;  ///< Letters and digits, in lower case.
    std::string sorted; ///< Its words in alphabetical order, so that issue_create is near create_issue.
};

// In lower case; nullopt for what parts words.
std::optional<char> letter(char c) {
    const bool stays = is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
    return stays ? std::optional(lower(c)) : std::nullopt;
}

Form to_form(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name.substr(0, most_length)) {
        if (const auto kept = letter(c))
            words.back() += *kept;
        else if (!words.back().empty())
            words.emplace_back();
    }
    Form form;
    for (const std::string& word : words) form.plain += word;
    std::sort(words.begin(), words.end());
    for (const std::string& word : words) form.sorted += word;
    return form;
}

/// Insertions, deletions, replacements, and swaps of neighbours, each counted as one.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

/// How far apart two names are, or nullopt where they are not near at all.
std::optional<std::size_t> distance(const Form& wanted, const Form& name) {
    if (wanted.plain.empty() || name.plain.empty()) return std::nullopt;
    const std::size_t longer = std::max(wanted.plain.size(), name.plain.size());
    const std::size_t shorter = std::min(wanted.plain.size(), name.plain.size());
    const std::size_t allowed =
        longer <= 2 ? 0 : std::max<std::size_t>(1, longer / 3); // all short names are near each other
    std::optional<std::size_t> best;
    if (longer - shorter <= allowed) {
        const std::size_t plain = edit_distance(wanted.plain, name.plain);
        const std::size_t sorted = edit_distance(wanted.sorted, name.sorted) + 1;
        if (std::min(plain, sorted) <= allowed) best = std::min(plain, sorted);
    }
    // one inside the other, as in "github" and "github-enterprise"; after what differs by a letter or two
    const bool inside = name.plain.find(wanted.plain) != std::string::npos ||
                        wanted.plain.find(name.plain) != std::string::npos;
    if (inside && shorter >= 3) best = std::min(best.value_or(longer), 2 + (longer - shorter) / 4);
    return best;
}

} // namespace

std::string letters(std::string_view name) {
    std::string kept;
    for (const char c : name)
        if (const auto one = letter(c)) kept += *one;
    return kept;
}

std::vector<std::string> nearest(const std::string& wanted, const std::vector<std::string>& names,
                                 std::size_t most) {
    const Form form = to_form(wanted);
    std::vector<std::pair<std::size_t, const std::string*>> found;
    for (const std::string& name : names)
        if (const auto far = distance(form, to_form(name))) found.emplace_back(*far, &name);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    });
    std::vector<std::string> best;
    for (const auto& [far, name] : found) {
        if (best.size() == most) break;
        if (best.empty() || best.back() != *name) best.push_back(*name);
    }
    return best;
}

std::size_t nearest_cost(std::string_view wanted, const std::vector<std::string>& names) {
    constexpr std::size_t cells = 100; // of the tables of edit_distance(), in a unit
    const std::size_t width = std::min(wanted.size(), most_length);
    std::size_t cost = 1;
    for (const std::string& name : names) cost += 1 + width * std::min(name.size(), most_length) / cells;
    return cost;
}

std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names) {
    const std::vector<std::string> near = nearest(wanted, names);
    if (near.empty()) return "";
    std::string text = " (did you mean ";
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (i > 0) text += i + 1 == near.size() ? " or " : ", ";
        text += json::quote(near[i].size() > most_length ? near[i].substr(0, most_length) + "…" : near[i]);
    }
    return text + "?)";
}

} // namespace base
