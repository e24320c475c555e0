#include "src/cli/pictures.h"

#include <cstdio>
#include <optional>
#include <stdexcept>

#include "src/base/base64.h"
#include "src/cli/new_file.h"
#include "src/cli/png.h"
#include "src/cli/sixel.h"

namespace cli {
namespace {

constexpr std::size_t most_sixel_edge = 1000;

using Environment = std::map<std::string, std::string>;

std::string variable(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
}

// kitty takes at most 4,096 characters at once.
std::string kitty_sequence(const std::string& base64) {
    constexpr std::size_t most = 4096;
    std::string text;
    for (std::size_t at = 0; at < base64.size(); at += most) {
        text += at == 0 ? "\033_Ga=T,f=100,m=" : "\033_Gm=";
        text += at + most < base64.size() ? '1' : '0';
        text += ';' + base64.substr(at, most) + "\033\\";
    }
    return text + '\n';
}

} // namespace

PictureProtocol picture_protocol(const Environment& environment, bool is_terminal) {
    const std::string term = variable(environment, "TERM");
    const std::string program = variable(environment, "TERM_PROGRAM");
    if (!is_terminal || term.empty() || term == "dumb") return PictureProtocol::none;
    if (program == "tmux" || term.starts_with("tmux") || term.starts_with("screen"))
        return PictureProtocol::unknown;
    if (term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty" ||
        !variable(environment, "KITTY_WINDOW_ID").empty())
        return PictureProtocol::kitty;
    const bool iterm2 =
        program == "iTerm.app" || program == "WezTerm" || variable(environment, "LC_TERMINAL") == "iTerm2";
    return iterm2 ? PictureProtocol::iterm2 : PictureProtocol::unknown;
}

std::string escape_sequence(PictureProtocol protocol, const bridge::Picture& picture) {
    // checked, since what a container sent as base64 would else reach the terminal as it is
    const std::optional<std::string> data = base::base64_decoded(picture.base64);
    if (!data) return {};
    if (protocol == PictureProtocol::kitty && picture.mime_type == "image/png")
        return kitty_sequence(picture.base64);
    if (protocol == PictureProtocol::sixel) {
        const std::optional<Bitmap> bitmap = decode_png(*data); // anything else is none
        return bitmap ? to_sixel(shrunk(*bitmap, most_sixel_edge)) : std::string();
    }
    if (protocol == PictureProtocol::iterm2) return "\033]1337;File=inline=1:" + picture.base64 + "\a\n";
    return {};
}

bool show_picture(PictureProtocol protocol, const bridge::Picture& picture) {
    const std::string sequence = escape_sequence(protocol, picture);
    std::fwrite(sequence.data(), 1, sequence.size(), stdout);
    std::fflush(stdout);
    return !sequence.empty();
}

std::string write_picture(const bridge::Picture& picture, const Environment& environment) {
    const std::optional<std::string> data = base::base64_decoded(picture.base64);
    if (!data) throw std::runtime_error("an image was left out: it is no base64");
    const std::string ending = picture.mime_type == "image/jpeg" ? ".jpg" : ".png";
    return write_numbered_file("cordon", ending, *data, environment);
}

std::string write_svg(const std::string& svg, const Environment& environment) {
    return write_numbered_file("cordon", ".svg", svg, environment);
}

} // namespace cli
