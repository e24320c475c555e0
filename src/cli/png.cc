#include "src/cli/png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

namespace cli {
namespace {

constexpr png_uint_32 most_pixels = 4'000'000;
constexpr png_uint_32 most_cached_chunks = 8;
constexpr png_alloc_size_t most_chunk_bytes = 1U
                                              << 20U; // IDAT has a bound of its own, from the picture's size

/// Frees what libpng holds.
struct Decoder {
    png_structp png = nullptr;
    png_infop info = nullptr;

    Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    ~Decoder() { ::png_destroy_read_struct(&png, &info, nullptr); }
};

// libpng reports an error with longjmp. No function between here and a setjmp below may hold an object that
// has a destructor: longjmp would skip it.
[[noreturn]] void on_error(png_structp png, png_const_charp) { ::png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t size) {
    auto& rest = *static_cast<std::string_view*>(::png_get_io_ptr(png));
    if (size > rest.size()) ::png_error(png, "cut short");
    std::memcpy(to, rest.data(), size);
    rest.remove_prefix(size);
}

void set_limits(png_structp png) {
    ::png_set_user_limits(png, most_pixels, most_pixels);
    ::png_set_chunk_cache_max(png, most_cached_chunks);
    ::png_set_chunk_malloc_max(png, most_chunk_bytes);
    // Chunks that do not change the pixels (profiles, texts) are never parsed.
    ::png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    // A checksum is no defence against whoever wrote the bytes, and it would keep the fuzzer out.
    ::png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    ::png_set_benign_errors(png, 0);           // else libpng draws what it calls broken
    ::png_set_check_for_invalid_index(png, 0); // a colour beyond the palette is drawn black
}

// Reads up to the first pixels, and asks for rows of RGBA. False: it is no PNG that we draw.
bool read_head(const Decoder& decoder) {
    png_structp png = decoder.png;
    if (setjmp(png_jmpbuf(png))) return false;
    set_limits(png);
    ::png_read_info(png, decoder.info);
    const png_uint_32 width = ::png_get_image_width(png, decoder.info);
    if (::png_get_image_height(png, decoder.info) > most_pixels / width) return false;
    ::png_set_expand(png);
    ::png_set_strip_16(png);
    ::png_set_gray_to_rgb(png);
    ::png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    ::png_set_interlace_handling(png);
    ::png_read_update_info(png, decoder.info);
    return ::png_get_rowbytes(png, decoder.info) == std::size_t{width} * 4;
}

bool read_rows(const Decoder& decoder, png_bytepp rows) {
    if (setjmp(png_jmpbuf(decoder.png))) return false;
    ::png_read_image(decoder.png, rows);
    ::png_read_end(decoder.png, nullptr);
    return true;
}

// Four bytes a pixel become three, in place.
void put_on_white(std::vector<std::uint8_t>& pixels) {
    const std::size_t count = pixels.size() / 4;
    for (std::size_t at = 0; at < count; ++at) {
        const unsigned opacity = pixels[at * 4 + 3];
        for (std::size_t i = 0; i < 3; ++i)
            pixels[at * 3 + i] =
                static_cast<std::uint8_t>((pixels[at * 4 + i] * opacity + 255 * (255 - opacity)) / 255);
    }
    pixels.resize(count * 3);
}

} // namespace

std::optional<Bitmap> decode_png(std::string_view data) {
    Decoder decoder;
    decoder.png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
    if (decoder.png) decoder.info = ::png_create_info_struct(decoder.png);
    if (!decoder.info) return std::nullopt;
    ::png_set_read_fn(decoder.png, &data, read_bytes);
    if (!read_head(decoder)) return std::nullopt;
    Bitmap bitmap{::png_get_image_width(decoder.png, decoder.info),
                  ::png_get_image_height(decoder.png, decoder.info),
                  {}};
    bitmap.rgb.resize(bitmap.width * bitmap.height * 4);
    std::vector<png_bytep> rows;
    rows.reserve(bitmap.height);
    for (std::size_t y = 0; y < bitmap.height; ++y) rows.push_back(&bitmap.rgb[y * bitmap.width * 4]);
    if (!read_rows(decoder, rows.data())) return std::nullopt;
    put_on_white(bitmap.rgb);
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
