// Looks, before a server is started, whether what starts it is there.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "src/base/json.h"
#include "src/config/servers.h"

namespace config {
namespace {

constexpr std::size_t most_path = 300;

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> comes_with{
    {{"npx", "Node.js"},
     {"npm", "Node.js"},
     {"node", "Node.js"},
     {"pnpm", "pnpm"},
     {"yarn", "Yarn"},
     {"bunx", "Bun"},
     {"bun", "Bun"},
     {"deno", "Deno"},
     {"uvx", "uv"},
     {"uv", "uv"},
     {"pipx", "pipx"},
     {"docker", "Docker"},
     {"podman", "podman"},
     {"java", "a Java runtime"},
     {"dotnet", "the .NET runtime"}}};

bool can_run(const std::string& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

bool in_path(const std::string& command, const std::string& path) {
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string folder = end == at ? "." : path.substr(at, end - at);
        if (can_run(folder + "/" + command)) return true;
        at = end + 1;
    }
    return false;
}

std::string advice_for(const std::string& command) {
    for (const auto& [name, package] : comes_with)
        if (command == name) return "; install " + std::string(package) + ", or give its whole path";
    return "; install it, or give its whole path";
}

std::string shortened(const std::string& path) {
    return path.size() <= most_path ? path : json::valid_utf8(path.substr(0, most_path)) + "…";
}

// What is wrong with the command, or "".
std::string command_trouble(const ServerEntry& entry, const std::string& path) {
    const std::string& command = entry.argv.front();
    if (command.find('/') == std::string::npos) {
        if (in_path(command, path)) return "";
        return "no such command: " + json::quote(command) + advice_for(command) +
               " (looked for in PATH=" + shortened(path) + ")";
    }
    const bool whole = command.starts_with('/');
    const std::string file = whole || entry.cwd.empty() ? command : entry.cwd + "/" + command;
    if (can_run(file)) return "";
    std::error_code ignored;
    const char* what =
        std::filesystem::exists(file, ignored) ? "not a program that can be run: " : "no such program: ";
    if (whole) return what + json::quote(command);
    const std::string folder =
        entry.cwd.empty() ? std::filesystem::current_path(ignored).string() : entry.cwd;
    return what + json::quote(command) + ", looked for in " + folder + "; give its whole path";
}

} // namespace

std::string launch_trouble(const ServerEntry& entry, const std::map<std::string, std::string>& base) {
    if (entry.transport != ServerEntry::Transport::stdio || entry.argv.empty()) return {};
    const auto own = entry.env.find("PATH"), common = base.find("PATH");
    const std::string path = own != entry.env.end() ? own->second
                             : common != base.end() ? common->second
                                                    : "/bin:/usr/bin";
    std::error_code ignored;
    const std::string place = entry.source + ":" + std::to_string(entry.line) + ": " + entry.name;
    if (!entry.cwd.empty() && !std::filesystem::is_directory(entry.cwd, ignored))
        return place + ".cwd: no such folder: " + json::quote(entry.cwd);
    const std::string trouble = command_trouble(entry, path);
    return trouble.empty() ? "" : place + ".command: " + trouble;
}

} // namespace config
