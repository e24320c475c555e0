#include "src/base/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/fd.h"

namespace base {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
    throw FileError(path + ": " + why);
}

} // namespace

std::optional<std::string> read_small_file(const std::string& path, std::size_t most) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a FIFO must not hold us
    if (!file) {
        if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
        fail(path, std::strerror(errno));
    }
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) fail(path, std::strerror(errno));
    if (!S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode)) fail(path, "not a file"); // /dev/null is usual
    std::string text;
    for (;;) {
        char piece[16 * 1024];
        const ssize_t n = ::read(file.get(), piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, std::strerror(errno));
        if (n == 0) return text;
        text.append(piece, static_cast<std::size_t>(n));
        if (text.size() > most) fail(path, "larger than " + std::to_string(most >> 20U) + " MiB");
    }
}

} // namespace base
