#include "src/config/alias.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "src/base/text.h"

namespace config {
namespace {

// Those that are left in lower case; the soft ones ("match", "type") are good names.
constexpr std::array<std::string_view, 35> keywords{
    "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
    "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
    "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
    "return", "try",  "while",  "with",   "yield",    "none",  "true",  "false"};

// FNV-1a, since std::hash may differ from one library to the next and the alias is written into people's
// code.
std::string hash_of(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    std::string digits;
    for (int i = 0; i < 16; ++i, hash >>= 4) digits += "0123456789abcdef"[hash & 15];
    return digits;
}

} // namespace

std::string plain_alias(std::string_view name) {
    std::string alias(name);
    for (char& c : alias) {
        c = base::lower(c);
        if (!base::is_letter(c) && !base::is_digit(c)) c = '_';
    }
    if (alias.empty() || base::is_digit(alias.front())) alias.insert(0, 1, '_');
    if (std::find(keywords.begin(), keywords.end(), alias) != keywords.end()) alias += '_';
    return alias;
}

std::map<std::string, std::string> aliases(const std::vector<std::string>& names) {
    const std::set<std::string> all(names.begin(), names.end());
    std::map<std::string, int> uses;
    for (const std::string& each : all) ++uses[plain_alias(each)];
    std::map<std::string, std::string> found;
    std::set<std::string> taken;
    const auto give = [&](const std::string& name, const std::string& alias) {
        found.emplace(name, alias);
        taken.insert(alias);
    };
    for (const std::string& each : all) {
        const std::string alias = plain_alias(each);
        if (uses[alias] == 1 || each == alias) give(each, alias);
    }
    for (const std::string& each : all) {
        if (found.contains(each)) continue;
        const std::string alias = plain_alias(each) + "_" + hash_of(each);
        std::size_t digits = alias.size() - 12; // four of them, or as many as it takes
        while (taken.contains(alias.substr(0, digits)) && digits < alias.size()) ++digits;
        give(each, alias.substr(0, digits));
    }
    return found;
}

} // namespace config
