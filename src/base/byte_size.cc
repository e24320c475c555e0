#include "src/base/byte_size.h"

#include <charconv>

#include "src/base/text.h"

namespace base {

std::optional<std::int64_t> read_byte_size(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string unit = lower(std::string(end, text.data() + text.size()));
    if (unit.size() == 3 && unit.ends_with("ib")) unit.resize(1);             // "mib"
    if (unit.size() == 2 && unit[0] != 'b' && unit[1] == 'b') unit.resize(1); // "mb"
    int shift = -1;
    if (unit.empty() || unit == "b") shift = 0;
    if (unit == "k") shift = 10;
    if (unit == "m") shift = 20;
    if (unit == "g") shift = 30;
    if (unit == "t") shift = 40;
    if (error != std::errc() || shift < 0 || number < 0 || number > (INT64_MAX >> shift)) return std::nullopt;
    return number << shift;
}

} // namespace base
