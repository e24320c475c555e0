#include "src/cli/say.h"

#include <cstdio>

namespace cli {
namespace {

void write(std::FILE* to, const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);
}

} // namespace

void say(const Shown& text) { write(stdout, text.text()); }
void say_line(const Shown& text) { write(stdout, text.text() + '\n'); }
void tell(const Shown& text) { write(stderr, "cordon: " + text.text() + '\n'); }
void draw_line(const Shown& text) { write(stderr, '\r' + text.text() + "\x1b[K"); }

} // namespace cli
