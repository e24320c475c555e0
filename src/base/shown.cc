#include "src/base/shown.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "src/base/utf8.h"

namespace base {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view cut_mark = "…";
constexpr std::string_view next_line = "\n    ";

struct Range {
    char32_t first, last;
};

// In order. Joiners (U+200C, U+200D) and variation selectors are not among them: words and emoji need them.
constexpr std::array<Range, 14> unfit = {{
    {0x00, 0x1F},       // C0
    {0x7F, 0x9F},       // DEL and C1
    {0xAD, 0xAD},       // soft hyphen
    {0x61C, 0x61C},     // Arabic letter mark
    {0x180E, 0x180E},   // Mongolian vowel separator
    {0x200B, 0x200B},   // zero width space
    {0x200E, 0x200F},   // marks of direction
    {0x2028, 0x202E},   // ends of lines and paragraphs; embeddings and overrides
    {0x2060, 0x2064},   // word joiner, invisible operators
    {0x2066, 0x206F},   // isolates, and what was deprecated
    {0xFEFF, 0xFEFF},   // byte order mark
    {0xFFF9, 0xFFFB},   // interlinear annotation
    {0xE0000, 0xE007F}, // tags: text that no person sees, and a model reads
    {0xE0100, 0xE01EF}, // variation selectors for ideographs: the same
}};

std::string hex(const char* format, char32_t code) {
    std::array<char, 16> text{};
    const int n = std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(code));
    return std::string(text.data(), static_cast<std::size_t>(n));
}

// As JSON has it: beyond U+FFFF as a surrogate pair.
std::string json_escape(char32_t code) {
    if (code <= 0xFFFF) return hex("\\u%04x", code);
    const char32_t rest = code - 0x10000;
    return hex("\\u%04x", 0xD800 + (rest >> 10)) + hex("\\u%04x", 0xDC00 + (rest & 0x3FF));
}

// How many bytes at the front stand as they are.
std::size_t plain_run(std::string_view text) {
    const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    return static_cast<std::size_t>(end - text.begin());
}

// Puts pieces together up to a bound.
class Bounded {
public:
    explicit Bounded(std::size_t most) : most_(most) {}
    bool add(std::string_view piece) {
        if (piece.size() > most_ - text_.size()) return false;
        text_ += piece;
        return true;
    }
    /// As much of plain ASCII as there is room for.
    bool add_plain(std::string_view run) {
        const std::size_t fits = std::min(run.size(), most_ - text_.size());
        text_ += run.substr(0, fits);
        return fits == run.size();
    }
    std::string take(bool cut) {
        if (cut) text_ += cut_mark;
        return std::move(text_);
    }

private:
    std::size_t most_;
    std::string text_{};
};

std::string filtered(std::string_view theirs, std::size_t most, bool keep_lines) {
    Bounded out(most);
    while (!theirs.empty()) {
        const std::size_t run = plain_run(theirs);
        if (run > 0) {
            if (!out.add_plain(theirs.substr(0, run))) return out.take(true);
            theirs.remove_prefix(run);
            continue;
        }
        const Character c = first_character(theirs);
        const std::string_view as_it_is = theirs.substr(0, c.bytes);
        bool fits = true;
        if (!c.valid)
            fits = out.add(replacement);
        else if (keep_lines && theirs.starts_with("\r\n"))
            fits = true; // the end of the line is next
        else if (keep_lines && c.code == '\n')
            fits = out.add(next_line);
        else if (c.code == '\t')
            fits = out.add(" ");
        else
            fits = out.add(is_unfit(c.code) ? escape_of(c.code) : as_it_is);
        if (!fits) return out.take(true);
        theirs.remove_prefix(c.bytes);
    }
    return out.take(false);
}

} // namespace

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t bytes = json::utf8_length(text);
    if (bytes <= 1) return {byte(0), 1, bytes == 1};
    char32_t code = byte(0) & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) code = (code << 6) | (byte(i) & 0x3Fu);
    return {code, bytes, true};
}

bool is_unfit(char32_t code) {
    return std::any_of(unfit.begin(), unfit.end(),
                       [&](const Range& r) { return code >= r.first && code <= r.last; });
}

std::string escape_of(char32_t code) {
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    return code <= 0xFF ? hex("\\x%02x", code) : code <= 0xFFFF ? hex("\\u%04x", code) : hex("\\U%08x", code);
}

Shown Shown::line(std::string_view theirs, std::size_t most) { return Shown(filtered(theirs, most, false)); }

Shown Shown::block(std::string_view theirs, std::size_t most) {
    while (theirs.ends_with('\n') || theirs.ends_with('\r')) theirs.remove_suffix(1);
    return Shown(filtered(theirs, most, true));
}

Shown Shown::json(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t run = plain_run(text);
        out += text.substr(0, run);
        text.remove_prefix(run);
        if (text.empty()) break;
        const Character c = first_character(text);
        if (!c.valid)
            out += replacement;
        else if (c.code < 0x20)
            out += ' '; // between values: in strings there is none
        else
            out += is_unfit(c.code) ? json_escape(c.code) : std::string(text.substr(0, c.bytes));
        text.remove_prefix(c.bytes);
    }
    return Shown(std::move(out));
}

Shown Shown::ours(std::string text) { return Shown(std::move(text)); }
Shown Shown::number(std::int64_t value) { return Shown(std::to_string(value)); }

Shown& Shown::pad(std::size_t bytes) {
    if (text_.size() < bytes) text_.resize(bytes, ' ');
    return *this;
}

Shown& Shown::operator+=(const Shown& more) {
    text_ += more.text_;
    return *this;
}

} // namespace base
