// Knows Cordon when it sees it among the upstream servers: started from itself, it would start itself for
// ever.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "src/config/servers.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 2> own_names{"cordon", "mcp-server-code-execution-mode"};

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

template <std::size_t N> bool among(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// "git+https://x/mcp_server_code_execution_mode.git@main" is the package "mcp-server-code-execution-mode".
std::string package_of(const std::string& word) {
    std::string name = base_name(word);
    name = name.substr(0, name.find_first_of("@=<>~[;", 1));
    for (const std::string_view end : {".git", ".py"})
        if (name.ends_with(end)) name.resize(name.size() - end.size());
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

// The words among the arguments of a launcher that say what it launches: the values of options that name a
// package or module, and the first word that is neither option nor subcommand. What comes after is the
// program's own.
std::vector<std::string> launched(const std::vector<std::string>& argv) {
    static constexpr std::array<std::string_view, 13> launchers{
        "uvx", "uv", "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "pipx", "python", "python3", "env"};
    static constexpr std::array<std::string_view, 6> subcommands{"run", "tool", "x", "exec", "dlx", "create"};
    static constexpr std::array<std::string_view, 5> naming{"--from", "-p", "--package", "-m", "--spec"};
    static constexpr std::array<std::string_view, 4> with_value{"--python", "--directory", "--with",
                                                                "--project"};
    std::vector<std::string> words;
    if (!among(launchers, base_name(argv.front()))) return words;
    for (std::size_t i = 1; i < argv.size(); ++i) {
        const std::string& word = argv[i];
        const bool has_next = i + 1 < argv.size();
        if (among(naming, word) && has_next)
            words.push_back(argv[++i]);
        else if (among(with_value, word) && has_next)
            ++i;
        else if (word.starts_with("--") && word.find('=') != std::string::npos)
            words.push_back(word.substr(word.find('=') + 1));
        else if (!word.starts_with("-") && !among(subcommands, word)) {
            words.push_back(word);
            break;
        }
    }
    return words;
}

bool same_file(const std::string& a, const std::string& b) {
    struct stat first {
    }, second{};
    return !a.empty() && !b.empty() && ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Where a command would be found, or "".
std::string found_in_path(const std::string& command, const std::string& path) {
    if (command.find('/') != std::string::npos) return command;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        std::string file = path.substr(at, end - at) + "/" + command;
        if (::access(file.c_str(), X_OK) == 0) return file;
        at = end + 1;
    }
    return {};
}

} // namespace

std::string self_reference(const ServerEntry& entry, const ServerSources& sources) {
    if (sources.allow_self || entry.transport != ServerEntry::Transport::stdio || entry.argv.empty())
        return {};
    std::string reason = "it is this program itself (CORDON_ALLOW_SELF_SERVER=1 allows that)";
    std::vector<std::string> words = launched(entry.argv);
    words.push_back(base_name(entry.argv.front()));
    words.push_back(entry.name);
    for (const std::string& each : words)
        if (among(own_names, package_of(each))) return reason;
    const auto own_path = entry.env.find("PATH");
    const auto our_path = sources.surroundings.environment.find("PATH");
    const std::string path = own_path != entry.env.end()                          ? own_path->second
                             : our_path != sources.surroundings.environment.end() ? our_path->second
                                                                                  : "";
    for (const std::string& each : {entry.argv.front(), words.front()})
        if (same_file(found_in_path(each, path), sources.own_executable)) return reason;
    return {};
}

} // namespace config
