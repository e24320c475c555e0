#include "src/base/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "src/base/fd.h"
#include "src/base/private_folder.h"

namespace base {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& file) {
    throw std::runtime_error(what + ' ' + file + ": " + std::strerror(errno));
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t wrote = ::write(fd, text.data(), text.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return ::fsync(fd) == 0;
}

} // namespace

void write_private_file(const std::string& file, std::string_view text) {
    make_private_folder(std::filesystem::path(file).parent_path().string());
    const std::string fresh = file + '.' + std::to_string(::getpid());
    ::unlink(fresh.c_str());
    const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) fail("create", fresh);
    if (write_all(fd.get(), text) && ::rename(fresh.c_str(), file.c_str()) == 0) return;
    const int failure = errno;
    ::unlink(fresh.c_str());
    errno = failure;
    fail("write", file);
}

} // namespace base
