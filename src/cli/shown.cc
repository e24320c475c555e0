#include "src/cli/shown.h"

#include "runtime_api/json.h"

namespace cli {

std::string shown(const std::string& words) {
    std::string out;
    const std::string text = json::valid_utf8(words);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        if (c == '\n') {
            out += "\n    ";
        } else if (c == 0xC2 && next < 0xA0) { // U+0080 to U+009F
            out += '?';
            ++i;
        } else {
            out += c < ' ' || c == 0x7F ? '?' : text[i];
        }
    }
    return out;
}

} // namespace cli
