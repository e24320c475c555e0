#include "src/base/json_scan.h"

#include <algorithm>

#include "src/base/json_repair.h"

namespace json {
namespace scan {

constexpr std::size_t npos = std::string_view::npos;

std::size_t blanks_end(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

std::size_t string_end(std::string_view text, std::size_t at) {
    for (++at; (at = text.find_first_of("\"\\", at)) != npos; at += 2)
        if (text[at] == '"') return at + 1;
    return text.size();
}

std::size_t value_end(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while ((at = text.find_first_of("\"[]{},", at)) != npos) {
        const char c = text[at];
        if (c == '"') {
            at = string_end(text, at);
            if (depth == 0) return at;
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}')) return at;
        if (c == '[' || c == '{') ++depth;
        ++at;
        if ((c == ']' || c == '}') && --depth == 0) return at;
    }
    return text.size();
}

Span member(std::string_view text, std::size_t at, std::string_view key) {
    at = blanks_end(text, at);
    if (at >= text.size() || text[at] != '{') return {0, 0};
    for (at = blanks_end(text, at + 1); at < text.size() && text[at] == '"';) {
        const std::size_t end = string_end(text, at);
        const std::string_view name = text.substr(at, end - at);
        const std::size_t colon = blanks_end(text, end);
        if (colon >= text.size() || text[colon] != ':') return {0, 0};
        const std::size_t begin = blanks_end(text, colon + 1);
        const std::size_t past = value_end(text, begin);
        if (name.size() == key.size() + 2 && name.substr(1, key.size()) == key && past > begin)
            return {begin, past};
        const std::size_t comma = blanks_end(text, past);
        if (comma >= text.size() || text[comma] != ',') return {0, 0};
        at = blanks_end(text, comma + 1);
    }
    return {0, 0};
}

std::string without_long_integers(std::string_view text) {
    std::string out(text);
    for (std::size_t at = 0; (at = text.find_first_of("\"-0123456789", at)) != npos;) {
        if (text[at] == '"') {
            at = string_end(text, at);
            continue;
        }
        const std::size_t end = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
        const std::size_t first = at + (text[at] == '-' ? 1 : 0);
        const std::string_view digits = text.substr(first, end - first);
        const bool whole = digits.find_first_not_of("0123456789") == npos && !digits.starts_with('0');
        if (whole && digits.size() >= 300 && digits.size() <= 4300)
            std::fill(out.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                      out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        at = end;
    }
    return out;
}

} // namespace scan

namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::size_t most_told = 20;

// The JSON text of an id at the start, or "".
std::string id_at(std::string_view text) {
    if (text.starts_with('"')) {
        const std::string_view literal = text.substr(0, scan::string_end(text, 0));
        return literal.size() <= 64 && !fault_in(literal) ? std::string(literal) : std::string();
    }
    const std::string_view digits = text.substr(0, text.find_first_not_of("-.0123456789"));
    return !digits.empty() && digits.size() <= 32 && !fault_in(digits) ? std::string(digits) : std::string();
}

// The id where it is the last member, or the last but "jsonrpc".
std::string id_at_end(std::string_view text) {
    const std::size_t key = text.rfind("\"id\"");
    if (key == npos || text.size() - key > 256) return {};
    const std::size_t colon = scan::blanks_end(text, key + 4);
    if (colon >= text.size() || text[colon] != ':') return {};
    const std::size_t begin = scan::blanks_end(text, colon + 1);
    std::string id = id_at(text.substr(begin));
    std::string rest(text.substr(begin + id.size()));
    std::erase_if(rest, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return rest == "}" || rest == ",\"jsonrpc\":\"2.0\"}" ? id : std::string();
}

std::string name_of(std::string_view tool) {
    const auto [begin, end] = scan::member(tool, 0, "name");
    const std::string_view literal = tool.substr(begin, end - begin);
    if (!literal.starts_with('"') || fault_in(literal)) return "a tool of its list";
    return "tool " + quote(valid_utf8(std::string_view(unquote(literal)).substr(0, 200)));
}

} // namespace

std::string answer_id(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::size_t begin = scan::blanks_end(text, 0);
    if (begin >= text.size() || text[begin] != '{') return {};
    if (scan::member(text, begin, "method").second != 0) return {};
    const auto [at, end] = scan::member(text, begin, "id");
    const std::string id = end == 0 ? std::string() : id_at(text.substr(at));
    return id.empty() ? id_at_end(text) : id;
}

std::vector<std::string> drop_bad_tools(std::string& text, int max_depth) {
    const auto [result, result_end] = scan::member(text, 0, "result");
    const auto [tools, end] = result_end == 0 ? scan::Span() : scan::member(text, result, "tools");
    if (end == 0 || text[tools] != '[') return {};
    std::vector<std::string> told;
    std::string kept = text.substr(0, tools + 1);
    std::size_t at = scan::blanks_end(text, tools + 1);
    bool dropped = false;
    while (at < end && text[at] != ']') {
        const std::size_t past = scan::value_end(text, at);
        if (past == at) return {}; // not even a list
        const std::string_view tool = std::string_view(text).substr(at, past - at);
        if (const auto fault = fault_in(tool, max_depth - 3, true)) {
            dropped = true;
            if (told.size() < most_told)
                told.push_back(name_of(tool) + " is left out: it cannot be read: " + fault->why +
                               " at byte " + std::to_string(fault->at) + " of it");
        } else {
            kept.append(kept.ends_with('[') && kept.size() == tools + 1 ? "" : ",").append(tool);
        }
        at = scan::blanks_end(text, past);
        if (at < end && text[at] == ',') at = scan::blanks_end(text, at + 1);
    }
    if (!dropped || at >= text.size()) return {};
    text = kept.append(text, at);
    return told;
}

} // namespace json
