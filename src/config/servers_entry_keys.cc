#include "src/config/servers_entry_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/text.h"

namespace config {
namespace {

constexpr std::size_t most_letters = 40;

constexpr std::array<std::string_view, 18> read_here{
    "command",   "args",    "env",           "environment", "cwd",      "type",
    "transport", "url",     "serverUrl",     "httpUrl",     "headers",  "description",
    "disabled",  "enabled", "start_timeout", "timeout",     "protocol", "name"};

// What other clients write there, and what changes nothing that a server does.
constexpr std::array<std::string_view, 17> remarks{
    "title",    "icon", "icons", "autoApprove", "alwaysAllow", "trust", "tags",    "category", "author",
    "homepage", "id",   "label", "gallery",     "comment",     "note",  "version", "metadata"};

// Other words for ours, not near to them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> other_words{
    {{"cmd", "command"},
     {"executable", "command"},
     {"program", "command"},
     {"arguments", "args"},
     {"argv", "args"},
     {"envs", "env"},
     {"envvars", "env"},
     {"uri", "url"},
     {"endpoint", "url"},
     {"baseurl", "url"},
     {"httpheaders", "headers"},
     {"workdir", "cwd"},
     {"workingdir", "cwd"},
     {"workingdirectory", "cwd"}}};

std::string letters(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, most_letters))
        if (base::is_letter(c) || base::is_digit(c)) out += base::lower(c);
    return out;
}

template <class All> bool among(const All& all, const std::string& key) {
    return std::find(all.begin(), all.end(), key) != all.end();
}

} // namespace

std::size_t letters_apart(const std::string& a, const std::string& b, std::size_t most) {
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
    std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            const std::size_t changed = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    return std::min(rows[a.size()][b.size()], most + 1);
}

KeyFound look_up_key(const std::string& key) {
    KeyFound found;
    const bool remark = key.starts_with('_') || key.starts_with('$') || key.starts_with("//");
    found.known = remark || among(read_here, key) || among(remarks, key);
    if (found.known) return found;
    const std::string wanted = letters(key);
    for (const auto& [word, ours] : other_words)
        if (wanted == word) found.meant = ours;
    if (!found.meant.empty()) return found;
    std::size_t nearest = wanted.size() <= 3 ? 2 : 3; // in short words all is near
    for (const std::string_view ours : read_here) {
        const std::size_t apart = letters_apart(wanted, letters(std::string(ours)), nearest);
        if (apart >= nearest) continue;
        nearest = apart;
        found.meant = ours == "environment" ? "env" : ours;
    }
    return found;
}

} // namespace config
