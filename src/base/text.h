#pragma once
#include <string>
#include <string_view>

/// What several readers of text need. Pure.
namespace base {

/// The text without `blanks` at its two ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// ASCII letters in lower case, all else as it is, whatever the locale.
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string lower(std::string text) {
    for (char& c : text) c = lower(c);
    return text;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What HTTP calls optional white space.
inline constexpr std::string_view http_blanks = " \t";

/// "podman" of "/usr/bin/podman", and of "podman".
inline std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

} // namespace base
