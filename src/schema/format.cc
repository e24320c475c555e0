#include "src/schema/format.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "src/base/text.h"

namespace schema {

namespace {

using base::is_digit;
using base::is_letter;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Takes a number of exactly `digits` digits off the front; -1 where there is none.
int take_number(std::string_view& text, std::size_t digits) {
    if (text.size() < digits ||
        !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(digits), is_digit))
        return -1;
    int number = 0;
    for (std::size_t i = 0; i < digits; ++i) number = number * 10 + (text[i] - '0');
    text.remove_prefix(digits);
    return number;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

bool take_date(std::string_view& text) {
    constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int year = take_number(text, 4);
    if (year < 0 || !take(text, "-")) return false;
    const int month = take_number(text, 2);
    if (month < 1 || month > 12 || !take(text, "-")) return false;
    const int day = take_number(text, 2);
    const bool leaps = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day >= 1 && day <= days[static_cast<std::size_t>(month) - 1] + (month == 2 && leaps ? 1 : 0);
}

bool take_clock(std::string_view& text, bool with_seconds) {
    const int hour = take_number(text, 2);
    if (hour < 0 || hour > 23 || !take(text, ":")) return false;
    const int minute = take_number(text, 2);
    if (minute < 0 || minute > 59) return false;
    if (!with_seconds) return true;
    if (!take(text, ":"))
        return text.empty() || std::string_view("zZ+-").find(text.front()) != std::string_view::npos;
    const int second = take_number(text, 2);
    if (second < 0 || second > 60) return false;
    if (!take(text, ".")) return true;
    const std::size_t fraction = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(fraction);
    return fraction > 0;
}

bool is_time(std::string_view text) {
    if (!take_clock(text, true)) return false;
    if (text.empty() || (take(text, "zZ") && text.empty())) return true;
    return take(text, "+-") && take_clock(text, false) && text.empty();
}

bool is_date(std::string_view text) { return take_date(text) && text.empty(); }

bool is_date_time(std::string_view text) {
    return take_date(text) && (text.empty() || (take(text, "tT ") && is_time(text)));
}

bool is_email(std::string_view text) {
    const std::size_t at = text.rfind('@');
    if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return false;
    return text.front() == '"' || text.find(' ') == std::string_view::npos;
}

bool has_no_blank(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 ||
               std::string_view("<>\"{}|\\^`").find(c) != std::string_view::npos;
    });
}

bool is_uri(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(text.front())) return false;
    const auto in_scheme = [](char c) {
        return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    };
    return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), in_scheme) &&
           has_no_blank(text);
}

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' : !is_hex(text[i])) return false;
    return true;
}

bool is_hostname(std::string_view text) {
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.empty() || text.size() > 253) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) {
                           return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' ||
                                  static_cast<unsigned char>(c) >= 0x80;
                       }) &&
           text.find("..") == std::string_view::npos && text.front() != '.' && text.front() != '-';
}

template <int Family> bool is_address(std::string_view text) {
    std::array<unsigned char, sizeof(in6_addr)> address;
    return text.find('\0') == std::string_view::npos &&
           inet_pton(Family, std::string(text).c_str(), address.data()) == 1;
}

} // namespace

bool fits_format(std::string_view format, std::string_view text) {
    static const std::map<std::string_view, bool (*)(std::string_view)> checks = {
        {"date", is_date},
        {"time", is_time},
        {"date-time", is_date_time},
        {"email", is_email},
        {"idn-email", is_email},
        {"uri", is_uri},
        {"url", is_uri},
        {"uri-reference", has_no_blank},
        {"uuid", is_uuid},
        {"hostname", is_hostname},
        {"ipv4", is_address<AF_INET>},
        {"ipv6", is_address<AF_INET6>}};
    const auto check = checks.find(format);
    return check == checks.end() || check->second(text);
}

} // namespace schema
