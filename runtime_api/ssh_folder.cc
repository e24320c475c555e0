#include "runtime_api/ssh_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "runtime_api/error.h"
#include "src/base/text.h"

namespace runtime_api {
namespace {

constexpr const char* prefix = "cordon-ssh-";

/// ssh expands '%' and '$' in socket paths, and splits at ':'.
bool plain(const std::string& path) {
    return std::all_of(path.begin(), path.end(), [](char c) {
        return base::is_letter(c) || base::is_digit(c) || std::strchr("/._-+", c);
    });
}

/// Where folders for sockets may be made: writable by us, and short, since ssh makes its control socket under
/// a name that is 17 bytes longer, of the 107 that a path may have.
std::string base() {
    for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
        const char* const value = std::getenv(name);
        if (value && value[0] == '/' && std::strlen(value) < 64 && plain(value) &&
            ::access(value, W_OK | X_OK) == 0)
            return value;
    }
    return "/tmp";
}

void remove(const std::string& folder) {
    std::error_code ignored; // what is left goes with the next sweep
    std::filesystem::remove_all(folder, ignored);
}

/// -1 where another has it, or had it and removed it.
int take_lock(const std::string& folder) {
    const int fd = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -1;
    struct stat about {};
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &about) == 0 && about.st_nlink > 0) return fd;
    ::close(fd);
    return -1;
}

/// Removes what those left that were killed: the kernel gave up their locks. Only our own user's.
void sweep(const std::string& where) {
    std::vector<std::string> left;
    std::error_code ec;
    std::filesystem::directory_iterator it(where, ec);
    for (; !ec && it != std::filesystem::directory_iterator() && left.size() < 64; it.increment(ec))
        if (it->path().filename().string().starts_with(prefix)) left.push_back(it->path().string());
    for (const std::string& folder : left) {
        struct stat about {};
        if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::getuid())
            continue;
        const int lock = take_lock(folder);
        if (lock < 0) continue;
        remove(folder);
        ::close(lock);
    }
}

} // namespace

SshFolder::SshFolder() {
    const std::string where = base();
    sweep(where);
    for (int attempts = 0; attempts < 3; ++attempts) {
        path_ = where + '/' + prefix + "XXXXXX";
        if (!::mkdtemp(path_.data())) break;
        lock_ = take_lock(path_);
        if (lock_ >= 0) return;
        // Another's sweep came between; it removes the folder.
    }
    throw Error(Errc::unavailable,
                "make a folder for ssh's socket in " + where + ": " + std::strerror(errno));
}

SshFolder::~SshFolder() {
    remove(path_);
    ::close(lock_);
}

} // namespace runtime_api
