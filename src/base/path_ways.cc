#include "src/base/path_ways.h"

#include <deque>
#include <filesystem>

namespace base {
namespace fs = std::filesystem;
namespace {

constexpr int most_links = 40; // as the kernel

std::deque<fs::path> names_of(const fs::path& path) { return {path.begin(), path.end()}; }

} // namespace

std::vector<std::string> path_ways(const std::string& path) {
    std::error_code failed;
    std::vector<std::string> ways;
    std::deque<fs::path> ahead = names_of(fs::path(path));
    fs::path at = path.starts_with('/') ? fs::path("/") : fs::current_path(failed);
    for (int links = 0; !ahead.empty();) {
        const fs::path name = ahead.front();
        ahead.pop_front();
        if (name.empty() || name == "." || name == "/") continue;
        if (name == "..") {
            at = at.parent_path(); // of "/" it is "/"
            continue;
        }
        const fs::path next = at / name;
        const fs::path target = fs::read_symlink(next, failed);
        if (failed || ++links > most_links) {
            at = next;
            continue;
        }
        ways.push_back(next.string());
        const std::deque<fs::path> through = names_of(target);
        ahead.insert(ahead.begin(), through.begin(), through.end());
        if (target.is_absolute()) at = "/";
    }
    ways.push_back(at.string());
    return ways;
}

std::string plain_path(const std::string& path) { return path_ways(path).back(); }

bool path_holds(const std::string& folder, const std::string& path) {
    if (folder == "/" || path == folder) return true;
    return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

} // namespace base
