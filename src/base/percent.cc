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

/// The byte that an escape at the front of the text stands for, or -1 where there is none.
int escaped_byte(std::string_view text) {
    if (text.size() < 3 || text[0] != '%') return -1;
    const int high = hex_value(text[1]), low = hex_value(text[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

} // namespace

std::string percent_encode(std::string_view text) { return encode(text, false); }
std::string percent_encode_path(std::string_view text) { return encode(text, true); }

std::string percent_decoded_leniently(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const int byte = escaped_byte(text);
        out += byte < 0 ? text.front() : static_cast<char>(byte);
        text.remove_prefix(byte < 0 ? 1 : 3);
    }
    return out;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3))
        if (escaped_byte(text.substr(at)) < 0) return std::nullopt;
    return percent_decoded_leniently(text);
}

} // namespace base
