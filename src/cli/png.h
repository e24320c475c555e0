#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cli {

/// Pixels, row by row from the top; three bytes each: red, green, blue.
struct Bitmap {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<std::uint8_t> rgb{};
};

/// The pixels of a PNG on white ground. nullopt: it is none, is broken, is interlaced (we draw none of
/// these), or has more than four million pixels. The bytes may be anybody's: a container sent them.
std::optional<Bitmap> decode_png(std::string_view data);

/// Made smaller by a whole number, so that it is at most so many pixels wide and high; each pixel is the mean
/// of those that it stands for.
Bitmap shrunk(const Bitmap& from, std::size_t most);

} // namespace cli
