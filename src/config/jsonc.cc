#include "src/config/jsonc.h"

#include <algorithm>

namespace config {
namespace {

std::size_t past_string(const std::string& text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return std::min(at + 1, text.size());
}

// The end of the comment that starts at `at`, or `at` where none does.
std::size_t past_comment(const std::string& text, std::size_t at) {
    if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
    if (text.compare(at, 2, "/*") != 0) return at;
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string::npos ? at : end + 2; // one that never ends is left for the parser to refuse
}

} // namespace

std::string plain_json(std::string text) {
    std::size_t comma =
        std::string::npos; // where the last thing that is neither space nor comment is a comma
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const std::size_t comment_end = past_comment(text, at);
        if (c == '"') {
            at = past_string(text, at);
            comma = std::string::npos;
        } else if (comment_end > at) {
            for (; at < comment_end; ++at)
                if (text[at] != '\n') text[at] = ' ';
        } else {
            if ((c == ']' || c == '}') && comma != std::string::npos) text[comma] = ' ';
            if (c != ' ' && c != '\t' && c != '\r' && c != '\n') comma = c == ',' ? at : std::string::npos;
            ++at;
        }
    }
    return text;
}

} // namespace config
