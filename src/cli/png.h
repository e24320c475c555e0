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

/// Reads a PNG with libpng and puts its pixels on white ground. Returns nullopt for anything but a valid PNG
/// of at most four million pixels; wrong checksums of chunks are ignored. The bytes are untrusted.
std::optional<Bitmap> decode_png(std::string_view data);

/// Made smaller by a whole number, so that it is at most so many pixels wide and high; each pixel is the mean
/// of those that it stands for.
Bitmap shrunk(const Bitmap& from, std::size_t most);

} // namespace cli
