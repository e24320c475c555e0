#include "src/cli/pictures.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "runtime_api/base64.h"
#include "src/cli/png.h"
#include "src/cli/sixel.h"
#include "src/jsonrpc/fd.h"

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

bool write_all(int fd, const std::string& data) {
    std::size_t done = 0;
    while (done < data.size()) {
        const ssize_t n = ::write(fd, data.data() + done, data.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

// A new file in the folder; nullopt where none can be made there (errno says why).
std::optional<std::string> write_in(const std::filesystem::path& folder, const std::string& ending,
                                    const std::string& data) {
    constexpr int most_names = 10'000;
    for (int number = 1; number <= most_names; ++number) {
        const std::string path = folder / ("cordon-" + std::to_string(number) + ending);
        const jsonrpc::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file.get() < 0 && errno == EEXIST) continue;
        if (file.get() < 0) return std::nullopt;
        if (write_all(file.get(), data)) return path;
        const int why = errno;
        ::unlink(path.c_str());
        errno = why;
        return std::nullopt;
    }
    return std::nullopt;
}

std::string write_file(const std::string& ending, const std::string& data, const Environment& environment) {
    std::error_code gone;
    const std::filesystem::path here = std::filesystem::current_path(gone);
    std::optional<std::string> path;
    if (!gone) path = write_in(here, ending, data);
    if (path) return *path;
    const std::string temporary = variable(environment, "TMPDIR");
    path = write_in(temporary.empty() ? "/tmp" : temporary, ending, data);
    if (!path)
        throw std::runtime_error("an image could not be written: " + std::system_category().message(errno));
    return *path;
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
    const std::optional<std::string> data = runtime_api::base64_decoded(picture.base64);
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

std::string write_picture(const bridge::Picture& picture, const Environment& environment) {
    const std::optional<std::string> data = runtime_api::base64_decoded(picture.base64);
    if (!data) throw std::runtime_error("an image was left out: it is no base64");
    return write_file(picture.mime_type == "image/jpeg" ? ".jpg" : ".png", *data, environment);
}

std::string write_svg(const std::string& svg, const Environment& environment) {
    return write_file(".svg", svg, environment);
}

} // namespace cli
