#include "src/cli/pictures.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include "src/base/base64.h"
#include "src/cli/png.h"
#include "src/cli/sixel.h"

using cli::decode_png;
using Bytes = std::vector<std::uint8_t>;

namespace {

std::string big_endian(std::size_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255);
    return text;
}

std::string chunk(const std::string& kind, const std::string& body) {
    return big_endian(body.size()) + kind + body + "sum.";
}

std::string packed(const std::string& rows) {
    uLongf size = ::compressBound(rows.size());
    std::string out(size, '\0');
    REQUIRE(::compress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(rows.data()), rows.size()) == Z_OK);
    out.resize(size);
    return out;
}

std::string png(std::size_t width, std::size_t height, int depth, int color, const std::string& rows,
                const std::string& more = "", bool interlaced = false) {
    std::string header = big_endian(width) + big_endian(height);
    header += {static_cast<char>(depth), static_cast<char>(color), 0, 0, static_cast<char>(interlaced)};
    return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", header) + more + chunk("IDAT", packed(rows)) +
           chunk("IEND", "");
}

Bytes pixels(const std::string& data) {
    const auto bitmap = decode_png(data);
    return bitmap ? bitmap->rgb : Bytes{};
}

std::string text(std::initializer_list<int> bytes) {
    std::string all;
    for (const int each : bytes) all += static_cast<char>(each);
    return all;
}

} // namespace

TEST_CASE("decode_png: every color type and depth, on white ground") {
    CHECK(pixels(png(2, 1, 8, 2, text({0, 1, 2, 3, 4, 5, 6}))) == Bytes{1, 2, 3, 4, 5, 6});
    CHECK(pixels(png(1, 1, 8, 6, text({0, 0, 0, 0, 0}))) == Bytes{255, 255, 255});
    CHECK(pixels(png(1, 1, 8, 6, text({0, 100, 0, 0, 255}))) == Bytes{100, 0, 0});
    CHECK(pixels(png(1, 1, 16, 2, text({0, 9, 99, 8, 99, 7, 99}))) == Bytes{9, 8, 7});
    CHECK(pixels(png(1, 1, 8, 4, text({0, 0, 51}))) == Bytes{204, 204, 204});
    CHECK(pixels(png(3, 1, 1, 0, text({0, 0xA0}))) == Bytes{255, 255, 255, 0, 0, 0, 255, 255, 255});
    CHECK(pixels(png(2, 1, 4, 0, text({0, 0xF3}))) == Bytes{255, 255, 255, 51, 51, 51});
    const std::string palette = chunk("PLTE", text({10, 20, 30, 40, 50, 60})) + chunk("tRNS", text({0}));
    CHECK(pixels(png(3, 1, 2, 3, text({0, 0x18}), palette)) == Bytes{255, 255, 255, 40, 50, 60, 0, 0, 0});
}

TEST_CASE("decode_png: rows are unfiltered") {
    CHECK(pixels(png(2, 1, 8, 0, text({1, 5, 5}))) == Bytes{5, 5, 5, 10, 10, 10});
    CHECK(pixels(png(1, 2, 8, 0, text({0, 5, 2, 250}))) == Bytes{5, 5, 5, 255, 255, 255});
    CHECK(pixels(png(2, 2, 8, 0, text({0, 10, 20, 3, 1, 1}))) ==
          Bytes{10, 10, 10, 20, 20, 20, 6, 6, 6, 14, 14, 14});
    CHECK(pixels(png(2, 2, 8, 0, text({0, 10, 20, 4, 1, 1}))) ==
          Bytes{10, 10, 10, 20, 20, 20, 11, 11, 11, 21, 21, 21});
}

TEST_CASE("decode_png: interlaced, with the first pixel in one pass and the second in another") {
    CHECK(pixels(png(2, 1, 8, 2, text({0, 1, 2, 3, 0, 4, 5, 6}), "", true)) == Bytes{1, 2, 3, 4, 5, 6});
}

TEST_CASE("decode_png: one colour that is transparent shows the ground") {
    const std::string seven = chunk("tRNS", text({0, 7}));
    CHECK(pixels(png(2, 1, 8, 0, text({0, 7, 8}), seven)) == Bytes{255, 255, 255, 8, 8, 8});
}

TEST_CASE("decode_png: what is no pixel is not parsed, and a large chunk is refused") {
    const std::string rows = text({0, 9});
    CHECK(pixels(png(1, 1, 8, 0, rows, chunk("gAMA", "?") + chunk("iCCP", "no profile"))) == Bytes{9, 9, 9});
    const std::string large(2 << 20, 'x');
    CHECK(pixels(png(1, 1, 8, 0, rows, chunk("tEXt", large.substr(0, 1 << 19)))) == Bytes{9, 9, 9});
    CHECK_FALSE(decode_png(png(1, 1, 8, 0, rows, chunk("tEXt", large))));
}

TEST_CASE("decode_png: what is broken, or too large, is none") {
    const std::string good = png(2, 1, 8, 2, text({0, 1, 2, 3, 4, 5, 6}));
    for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(decode_png(good.substr(0, size)));
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0xFF);
        decode_png(bad);
    }
    CHECK_FALSE(decode_png(png(2, 1, 8, 2, text({5, 1, 2, 3, 4, 5, 6}))));
    CHECK_FALSE(decode_png(png(2, 1, 8, 2, text({0, 1, 2, 3, 4, 5}))));
    CHECK_FALSE(decode_png(png(2, 1, 8, 2, text({0, 1, 2, 3, 4, 5, 6, 7}))));
    CHECK_FALSE(decode_png(png(2, 1, 3, 2, text({0, 1}))));
    CHECK_FALSE(decode_png(png(0, 1, 8, 0, text({0}))));
    CHECK_FALSE(decode_png(png(2001, 2000, 1, 0, std::string(2000 * 252, '\0'))));
    CHECK_FALSE(decode_png(png(0xFFFFFFFF, 0xFFFFFFFF, 8, 0, text({0}))));
    CHECK(decode_png(png(2000, 2000, 1, 0, std::string(2000 * 251, '\0'))));
}

TEST_CASE("shrunk: by a whole number, each pixel the mean") {
    const cli::Bitmap two{2, 2, {0, 0, 0, 10, 10, 10, 20, 20, 20, 30, 30, 30}};
    CHECK(cli::shrunk(two, 2).rgb == two.rgb);
    CHECK(cli::shrunk(two, 1).rgb == Bytes{15, 15, 15});
    const cli::Bitmap three{3, 1, {0, 0, 0, 10, 10, 10, 20, 20, 20}};
    const cli::Bitmap small = cli::shrunk(three, 2);
    CHECK(small.width == 2);
    CHECK(small.rgb == Bytes{5, 5, 5, 20, 20, 20});
}

TEST_CASE("to_sixel: a band of six rows, colour by colour") {
    const cli::Bitmap red{5, 1, {255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 255}};
    CHECK(cli::to_sixel(red) == "\033P0;1q\"1;1;5;1#5;2;0;0;100#180;2;100;0;0#5!4?@$#180!4@?$-\033\\\n");
    cli::Bitmap white{1, 7, Bytes(21, 255)};
    CHECK(cli::to_sixel(white) == "\033P0;1q\"1;1;1;7#231;2;100;100;100#231~$-#231@$-\033\\\n");
}

TEST_CASE("pictures: by what the terminal says of itself") {
    using cli::PictureProtocol;
    CHECK(cli::picture_protocol({{"TERM", "xterm-256color"}}, true) == PictureProtocol::unknown);
    CHECK(cli::picture_protocol({{"TERM", "tmux-256color"}, {"KITTY_WINDOW_ID", "1"}}, true) ==
          PictureProtocol::unknown);
    CHECK(cli::picture_protocol({{"TERM", "dumb"}, {"KITTY_WINDOW_ID", "1"}}, true) == PictureProtocol::none);
    CHECK(cli::picture_protocol({}, true) == PictureProtocol::none);
    CHECK(cli::picture_protocol({{"TERM", "xterm-kitty"}}, false) == PictureProtocol::none);
    const std::string data = png(2, 1, 8, 2, text({0, 1, 2, 3, 4, 5, 6}));
    CHECK(
        cli::escape_sequence(PictureProtocol::sixel, {"image/png", base::base64(data)}).starts_with("\033P"));
    CHECK(cli::escape_sequence(PictureProtocol::sixel, {"image/jpeg", base::base64("\xff\xd8\xff")}).empty());
    CHECK(cli::escape_sequence(PictureProtocol::unknown, {"image/png", base::base64(data)}).empty());
}
