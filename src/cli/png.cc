#include "src/cli/png.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace cli {
namespace {

constexpr std::size_t most_pixels = 4'000'000;

struct Image {
    std::size_t width = 0, height = 0;
    unsigned depth = 0, color = 0;
    std::string palette{}, transparency{}, packed{}; // PLTE, tRNS, all IDATs
};

std::uint8_t byte(std::string_view data, std::size_t at) { return static_cast<std::uint8_t>(data[at]); }

std::size_t number(std::string_view data, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | byte(data, at + i);
    return value;
}

// Samples of one pixel by color type; 0: there is no such type.
std::size_t samples(unsigned color) {
    constexpr std::array<std::size_t, 7> by_type{1, 0, 3, 1, 2, 0, 4};
    return color < by_type.size() ? by_type[color] : 0;
}

bool is_allowed(unsigned color, unsigned depth) {
    if (depth == 8) return samples(color) != 0;
    if (depth == 16) return samples(color) != 0 && color != 3;
    return (depth == 1 || depth == 2 || depth == 4) && (color == 0 || color == 3);
}

bool read_header(std::string_view body, Image& image) {
    if (body.size() != 13) return false;
    image.width = number(body, 0);
    image.height = number(body, 4);
    image.depth = byte(body, 8);
    image.color = byte(body, 9);
    const bool is_plain = body[10] == 0 && body[11] == 0 && body[12] == 0; // the last: not interlaced
    return is_plain && is_allowed(image.color, image.depth) && image.width > 0 && image.height > 0 &&
           image.width <= most_pixels && image.height <= most_pixels / image.width;
}

std::optional<Image> read_chunks(std::string_view data) {
    constexpr std::string_view magic("\x89PNG\r\n\x1a\n", 8);
    if (!data.starts_with(magic)) return std::nullopt;
    data.remove_prefix(magic.size());
    Image image;
    while (data.size() >= 12) {
        const std::size_t size = number(data, 0);
        if (size > data.size() - 12) return std::nullopt;
        const std::string_view kind = data.substr(4, 4), body = data.substr(8, size);
        if (kind == "IHDR" ? !read_header(body, image) : image.width == 0) return std::nullopt;
        if (kind == "PLTE") image.palette = body;
        if (kind == "tRNS") image.transparency = body;
        if (kind == "IDAT") image.packed += body;
        if (kind == "IEND") return image;
        data.remove_prefix(size + 12);
    }
    return std::nullopt;
}

int paeth(int left, int up, int corner) {
    const int guess = left + up - corner;
    const int a = std::abs(guess - left), b = std::abs(guess - up), c = std::abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Undoes the filter of each row, in place. A row is its filter's number and its bytes.
bool unfilter(std::vector<std::uint8_t>& rows, std::size_t row_size, std::size_t pixel_size) {
    for (std::size_t row = 0; row < rows.size(); row += row_size) {
        const unsigned filter = rows[row];
        if (filter > 4) return false;
        for (std::size_t i = 1; i < row_size; ++i) {
            const int left = i > pixel_size ? rows[row + i - pixel_size] : 0;
            const int up = row > 0 ? rows[row - row_size + i] : 0;
            const int corner = row > 0 && i > pixel_size ? rows[row - row_size + i - pixel_size] : 0;
            const std::array<int, 5> guesses{0, left, up, (left + up) / 2, paeth(left, up, corner)};
            rows[row + i] = static_cast<std::uint8_t>(rows[row + i] + guesses[filter]);
        }
    }
    return true;
}

// The sample's upper eight bits, or the whole of a smaller one.
unsigned sample(const std::uint8_t* row, std::size_t index, unsigned depth) {
    if (depth == 16) return row[2 * index];
    if (depth == 8) return row[index];
    const std::size_t bit = index * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1U << depth) - 1);
}

using Pixel = std::array<unsigned, 4>; // red, green, blue, opacity

Pixel palette_pixel(const Image& image, unsigned index) {
    const std::size_t at = std::size_t{index} * 3;
    if (at + 3 > image.palette.size()) return {0, 0, 0, 255};
    const unsigned opacity = index < image.transparency.size() ? byte(image.transparency, index) : 255;
    return {byte(image.palette, at), byte(image.palette, at + 1), byte(image.palette, at + 2), opacity};
}

// One colour that is transparent (tRNS of an image without opacity) is drawn as it is.
Pixel pixel(const Image& image, const std::uint8_t* row, std::size_t x) {
    const std::size_t count = samples(image.color), at = x * count;
    const unsigned first = sample(row, at, image.depth);
    if (image.color == 3) return palette_pixel(image, first);
    const bool has_opacity = image.color >= 4;
    const unsigned opacity = has_opacity ? sample(row, at + count - 1, image.depth) : 255;
    if (count <= 2) {
        const unsigned gray = image.depth < 8 ? first * 255 / ((1U << image.depth) - 1) : first;
        return {gray, gray, gray, opacity};
    }
    return {first, sample(row, at + 1, image.depth), sample(row, at + 2, image.depth), opacity};
}

} // namespace

std::optional<Bitmap> decode_png(std::string_view data) {
    const std::optional<Image> image = read_chunks(data);
    if (!image) return std::nullopt;
    const std::size_t bits = samples(image->color) * image->depth;
    const std::size_t row_size = 1 + (image->width * bits + 7) / 8;
    std::vector<std::uint8_t> rows(row_size * image->height);
    uLongf size = rows.size();
    const auto* packed = reinterpret_cast<const Bytef*>(image->packed.data());
    if (::uncompress(rows.data(), &size, packed, image->packed.size()) != Z_OK || size != rows.size() ||
        !unfilter(rows, row_size, (bits + 7) / 8))
        return std::nullopt;
    Bitmap bitmap{image->width, image->height, {}};
    bitmap.rgb.reserve(bitmap.width * bitmap.height * 3);
    for (std::size_t y = 0; y < bitmap.height; ++y)
        for (std::size_t x = 0; x < bitmap.width; ++x) {
            const Pixel p = pixel(*image, rows.data() + y * row_size + 1, x);
            for (std::size_t i = 0; i < 3; ++i)
                bitmap.rgb.push_back(static_cast<std::uint8_t>((p[i] * p[3] + 255 * (255 - p[3])) / 255));
        }
    return bitmap;
}

Bitmap shrunk(const Bitmap& from, std::size_t most) {
    const std::size_t by = (std::max(from.width, from.height) + most - 1) / most;
    if (by <= 1) return from;
    Bitmap to{(from.width + by - 1) / by, (from.height + by - 1) / by, {}};
    to.rgb.reserve(to.width * to.height * 3);
    for (std::size_t y = 0; y < to.height; ++y)
        for (std::size_t x = 0; x < to.width; ++x)
            for (std::size_t i = 0; i < 3; ++i) {
                std::size_t sum = 0, count = 0;
                for (std::size_t v = y * by; v < std::min((y + 1) * by, from.height); ++v)
                    for (std::size_t u = x * by; u < std::min((x + 1) * by, from.width); ++u, ++count)
                        sum += from.rgb[(v * from.width + u) * 3 + i];
                to.rgb.push_back(static_cast<std::uint8_t>(sum / count));
            }
    return to;
}

} // namespace cli
