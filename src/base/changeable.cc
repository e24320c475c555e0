#include "src/base/changeable.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "src/base/path_ways.h"
#include "src/base/shell_word.h"

namespace base {
namespace {

// No process of ours makes or ends users meanwhile, so these need no lock. They are asked seldom: only of
// what a group can write to.
bool is_our_own_group(gid_t group) {
    const passwd* me = ::getpwuid(::geteuid());
    const std::string name = me ? me->pw_name : "";
    const gid_t first = me ? me->pw_gid : 0;
    const ::group* found = ::getgrgid(group);
    if (name.empty() || !found) return false;
    for (char** member = found->gr_mem; *member; ++member)
        if (name != *member && std::string_view(*member) != "root") return false;
    return group == 0 || (group == first && name == found->gr_name);
}

// Then the mode's group is the most that any entry of the list has.
bool has_access_list(const std::string& path) {
    return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

// In a user namespace that does not know all users, root's folders may seem to be "nobody's".
bool is_unknown_user(uid_t user) {
    std::ifstream map("/proc/self/uid_map"), overflow("/proc/sys/kernel/overflowuid");
    unsigned long inside = 0, outside = 0, count = 0, nobody = 65534;
    overflow >> nobody;
    const bool whole = (map >> inside >> outside >> count) && inside == 0 && count >= 0xFFFFFFFFUL;
    return !whole && user == nobody;
}

std::string by_owner(const std::string& path, const std::string& command) {
    struct stat about {};
    const bool ours = ::lstat(path.c_str(), &about) == 0 && about.st_uid == ::geteuid();
    return (ours || ::geteuid() == 0 ? "" : "sudo ") + command + shell_word(path);
}

std::string our_name() {
    const passwd* me = ::getpwuid(::geteuid());
    return me ? me->pw_name : std::to_string(::geteuid());
}

std::optional<Changeable> look_at(const std::string& path) {
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0) return std::nullopt;
    if (about.st_uid != ::geteuid() && about.st_uid != 0 && !is_unknown_user(about.st_uid))
        return Changeable{path + " belongs to another user (uid " + std::to_string(about.st_uid) + ")",
                          by_owner(path, "chown -h " + shell_word(our_name()) + ' ')};
    if (S_ISLNK(about.st_mode)) return std::nullopt; // nobody can write to one
    if (S_ISDIR(about.st_mode) && (about.st_mode & S_ISVTX) != 0) return std::nullopt;
    const bool group =
        (about.st_mode & S_IWGRP) != 0 && (has_access_list(path) || !is_our_own_group(about.st_gid));
    if (!group && (about.st_mode & S_IWOTH) == 0) return std::nullopt;
    return Changeable{path + " can be written to by other users", by_owner(path, "chmod go-w ")};
}

// The thing and all above it, from the top.
std::optional<Changeable> look_down_to(const std::filesystem::path& path) {
    std::filesystem::path at;
    for (const std::filesystem::path& name : path) {
        at /= name;
        if (auto found = look_at(at.string())) return found;
    }
    return std::nullopt;
}

} // namespace

std::optional<Changeable> changeable_by_others(const std::string& path) {
    for (const std::string& way : path_ways(path))
        if (auto found = look_down_to(way)) return found;
    return std::nullopt;
}

} // namespace base
