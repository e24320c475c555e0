#include <charconv>
#include <cmath>

#include "src/base/json.h"
#include "src/base/utf8.h"

namespace json {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

// Code points that some peers take for the end of a line.
const char* line_escape(std::string_view sequence) {
    if (sequence == "\xE2\x80\xA8") return "\\u2028";
    if (sequence == "\xE2\x80\xA9") return "\\u2029";
    if (sequence == "\xC2\x85") return "\\u0085";
    return nullptr;
}

void escape_ascii(char c, std::string& out) {
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    static constexpr char hex[] = "0123456789abcdef";
    out += "\\u00";
    out += hex[(c >> 4) & 0xF];
    out += hex[c & 0xF];
}

bool is_plain(char c) { return static_cast<signed char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7F; }

void append_quoted(std::string_view text, std::string& out) {
    out += '"';
    while (!text.empty()) {
        std::size_t run = 0;
        while (run < text.size() && is_plain(text[run])) ++run;
        out.append(text.substr(0, run));
        text.remove_prefix(run);
        if (text.empty()) break;
        const std::size_t length = utf8_length(text);
        if (length == 1) {
            escape_ascii(text[0], out);
        } else if (length == 0) {
            out += replacement;
        } else if (const char* escape = line_escape(text.substr(0, length))) {
            out += escape;
        } else {
            out.append(text.substr(0, length));
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

} // namespace

void Writer::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (!first_ && !open_.empty()) out_ += ',';
    first_ = false;
}

Writer& Writer::object() {
    separate();
    out_ += '{';
    open_ += '{';
    first_ = true;
    return *this;
}

Writer& Writer::array() {
    separate();
    out_ += '[';
    open_ += '[';
    first_ = true;
    return *this;
}

Writer& Writer::end() {
    out_ += open_.back() == '{' ? '}' : ']';
    open_.pop_back();
    first_ = false;
    return *this;
}

Writer& Writer::key(std::string_view name) {
    separate();
    append_quoted(name, out_);
    out_ += ':';
    after_key_ = true;
    return *this;
}

Writer& Writer::value(std::string_view text) {
    separate();
    append_quoted(text, out_);
    return *this;
}

Writer& Writer::value(bool flag) { return raw(flag ? "true" : "false"); }

Writer& Writer::value(double number) {
    if (!std::isfinite(number)) return null(); // JSON has no word for it
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
    return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

Writer& Writer::null() { return raw("null"); }

Writer& Writer::raw(std::string_view json) {
    separate();
    out_.append(json);
    return *this;
}

Writer& Writer::integer(const std::string& digits) { return raw(digits); }

std::string quote(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_quoted(text, out);
    return out;
}

std::string valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0)
            out += replacement;
        else
            out.append(text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

} // namespace json
