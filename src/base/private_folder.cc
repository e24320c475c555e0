#include "src/base/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace base {
namespace {

constexpr const char* name_another = "name another with --state-dir or CORDON_STATE_DIR";

[[noreturn]] void fail(const std::string& path) {
    throw std::system_error(errno, std::generic_category(), "folder " + path);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error("folder " + path + ": " + why);
}

// From the top down. One that another process makes at the same time is checked like any that was there.
void make_missing(const std::filesystem::path& path) {
    struct stat about {};
    if (path.empty() || ::stat(path.c_str(), &about) == 0) return;
    if (path.has_parent_path() && path.parent_path() != path) make_missing(path.parent_path());
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail(path.string());
}

} // namespace

void make_private_folder(const std::string& path) {
    std::filesystem::path plain(path);
    if (!plain.has_filename()) plain = plain.parent_path(); // "state/" is "state"
    make_missing(plain);
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) fail(path);
    if (!S_ISDIR(about.st_mode)) {
        errno = ENOTDIR;
        fail(path);
    }
    if (about.st_uid != ::geteuid())
        refuse(path, "it belongs to another user (uid " + std::to_string(about.st_uid) +
                         "), who could change what Cordon keeps there: " + name_another +
                         ", one below it for example");
    if ((about.st_mode & 022) == 0) return;
    const bool for_all = (about.st_mode & S_ISVTX) != 0; // like /tmp: its mode is as it must be
    refuse(path,
           "other users can write to it, and could change what Cordon keeps there: " +
               std::string(name_another) +
               (for_all ? ", one below it for example" : ", or if it is Cordon's alone: chmod go-w " + path));
}

} // namespace base
