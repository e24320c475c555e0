#include "src/base/percent.h"

#include "src/base/text.h"

namespace base {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

bool unreserved(char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

std::string encode(std::string_view text, bool keep_slash) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (unreserved(c) || (keep_slash && c == '/')) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += hex_digits[byte >> 4U];
        out += hex_digits[byte & 15U];
    }
    return out;
}

/// 0 to 15, or -1.
int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

} // namespace

std::string percent_encode(std::string_view text) { return encode(text, false); }
std::string percent_encode_path(std::string_view text) { return encode(text, true); }

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

} // namespace base
