#include "src/policy/toml_depth.h"

namespace policy {
namespace {

constexpr std::size_t most_dots = 2000;

// The end of what begins with a quote. A string of one line ends at its line's end at the latest: what is
// behind is not TOML then, and the parser gets no further.
std::size_t behind_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string_view rest = text.substr(at);
    const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    const std::size_t length = is_long ? 3 : 1;
    for (at += length; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"')
            ++at;
        else if (text[at] == '\n' && !is_long)
            return at;
        else if (text.substr(at).starts_with(rest.substr(0, length)))
            return at + length;
    }
    return text.size();
}

} // namespace

std::size_t line_too_deep(std::string_view text) {
    std::size_t dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"' || text[at] == '\'') {
            at = behind_string(text, at);
            continue;
        }
        if (text[at] == '#') {
            at = text.find('\n', at);
            if (at == std::string_view::npos) return 0;
        }
        if (text[at] == '.' && ++dots > most_dots) {
            std::size_t line = 1;
            for (const char c : text.substr(0, at)) line += c == '\n' ? 1 : 0;
            return line;
        }
        ++at;
    }
    return 0;
}

} // namespace policy
