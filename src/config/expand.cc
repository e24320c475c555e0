#include "src/config/expand.h"

#include <algorithm>
#include <optional>

#include "src/base/text.h"
#include "src/config/settings.h"

namespace config {
namespace {

bool is_name(std::string_view text) {
    const auto good = [](char c) { return c == '_' || base::is_digit(c) || base::is_letter(c); };
    return !text.empty() && !base::is_digit(text[0]) && std::all_of(text.begin(), text.end(), good);
}

// What ${word} stands for; nullopt where the word is none of ours.
std::optional<std::string> value_of(std::string_view word, const Surroundings& surroundings) {
    if (word == "userHome") return surroundings.home;
    if (word == "workspaceFolder") return surroundings.folder;
    if (word.starts_with("input:"))
        throw Error("${" + std::string(word) + "} would have to be asked for, which cannot be done here");
    if (word.starts_with("env:")) word.remove_prefix(4);
    const std::size_t mark = word.find(":-");
    const std::string_view name = word.substr(0, mark);
    if (!is_name(name)) return std::nullopt;
    const auto it = surroundings.environment.find(std::string(name));
    if (it != surroundings.environment.end() && (!it->second.empty() || mark == std::string_view::npos))
        return it->second;
    if (mark != std::string_view::npos) return std::string(word.substr(mark + 2));
    throw Error("the environment variable " + std::string(name) + " is not set");
}

} // namespace

std::string expand(std::string_view text, const Surroundings& surroundings) {
    std::string out;
    while (!text.empty()) {
        const std::size_t start = text.find("${");
        out += text.substr(0, start);
        if (start == std::string_view::npos) break;
        text.remove_prefix(start);
        const std::size_t end = text.find('}');
        const std::optional<std::string> value =
            end == std::string_view::npos ? std::nullopt : value_of(text.substr(2, end - 2), surroundings);
        const std::size_t taken = value ? end + 1 : 2;
        out += value ? std::string_view(*value) : text.substr(0, 2);
        text.remove_prefix(taken);
    }
    return out;
}

std::string expand_path(std::string_view text, const Surroundings& surroundings) {
    std::string out = expand(text, surroundings);
    if (text == "~" || text.starts_with("~/")) out.replace(0, 1, surroundings.home);
    return out;
}

} // namespace config
