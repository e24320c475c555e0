#include "src/cli/sixel.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace cli {
namespace {

constexpr unsigned first_gray = 216, grays = 16;

// The colour's number: 0 to 215 in a cube of six steps an edge, then the grays.
unsigned color_number(const std::uint8_t* rgb) {
    const auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
    if (high - low < 8) return first_gray + (rgb[1] * (grays - 1) + 127) / 255;
    unsigned number = 0;
    for (int i = 0; i < 3; ++i) number = number * 6 + (rgb[i] * 5U + 127) / 255;
    return number;
}

// "#n;2;r;g;b": the parts are hundredths.
std::string definition(unsigned number) {
    std::array<unsigned, 3> parts{number / 36 * 20, number / 6 % 6 * 20, number % 6 * 20};
    if (number >= first_gray) parts.fill((number - first_gray) * 100 / (grays - 1));
    std::string text = '#' + std::to_string(number) + ";2";
    for (const unsigned part : parts) text += ';' + std::to_string(part);
    return text;
}

// One colour's dots in a band of six rows, a character a column; four and more alike as "!count".
void add_row(std::string& text, const std::string& columns) {
    for (std::size_t at = 0; at < columns.size();) {
        const std::size_t end = std::min(columns.find_first_not_of(columns[at], at), columns.size());
        if (end - at > 3)
            text += '!' + std::to_string(end - at) + columns[at];
        else
            text.append(end - at, columns[at]);
        at = end;
    }
}

} // namespace

std::string to_sixel(const Bitmap& bitmap) {
    std::string definitions, bands;
    std::vector<bool> defined(first_gray + grays);
    for (std::size_t top = 0; top < bitmap.height; top += 6) {
        std::map<unsigned, std::string> rows;
        for (std::size_t y = top; y < std::min(top + 6, bitmap.height); ++y)
            for (std::size_t x = 0; x < bitmap.width; ++x) {
                std::string& row = rows[color_number(&bitmap.rgb[(y * bitmap.width + x) * 3])];
                if (row.empty()) row.assign(bitmap.width, '?');
                row[x] = static_cast<char>(row[x] + (1 << (y - top)));
            }
        for (const auto& [number, row] : rows) {
            if (!defined[number]) definitions += definition(number);
            defined[number] = true;
            bands += '#' + std::to_string(number);
            add_row(bands, row);
            bands += '$';
        }
        bands += '-';
    }
    return "\033P0;1q\"1;1;" + std::to_string(bitmap.width) + ';' + std::to_string(bitmap.height) +
           definitions + bands + "\033\\\n";
}

} // namespace cli
