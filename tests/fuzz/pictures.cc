#include "src/cli/sixel.h"
#include "tests/fuzz/fuzz.h"

// What a container calls a PNG is none, or pixels; what goes to the terminal for them is of a few letters,
// between two escapes.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bitmap = cli::decode_png(fuzz::view(data, size));
    if (!bitmap) return 0;
    fuzz::promise(bitmap->rgb.size() == bitmap->width * bitmap->height * 3);
    const cli::Bitmap small = cli::shrunk(*bitmap, 100);
    fuzz::promise(small.width <= 100 && small.height <= 100 && small.width > 0 && small.height > 0);
    fuzz::promise(small.rgb.size() == small.width * small.height * 3);
    const std::string drawn = cli::to_sixel(small);
    fuzz::promise(drawn.starts_with("\033P0;1q") && drawn.ends_with("\033\\\n"));
    fuzz::promise(
        std::all_of(drawn.begin() + 2, drawn.end() - 3, [](char c) { return c >= ' ' && c <= '~'; }));
    return 0;
}
