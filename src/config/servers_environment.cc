#include <algorithm>
#include <array>
#include <string_view>

#include "src/config/servers.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 19> passed{
    "HOME",        "PATH",       "USER",        "LOGNAME",   "SHELL",     "TERM",      "LANG",
    "TMPDIR",      "http_proxy", "https_proxy", "no_proxy",  "all_proxy", "ftp_proxy", "HTTP_PROXY",
    "HTTPS_PROXY", "NO_PROXY",   "ALL_PROXY",   "FTP_PROXY", "LANGUAGE"};

bool usual(std::string_view name) {
    return name.starts_with("LC_") || name.starts_with("XDG_") ||
           std::find(passed.begin(), passed.end(), name) != passed.end();
}

} // namespace

std::map<std::string, std::string> base_environment(const std::map<std::string, std::string>& environment,
                                                    const std::string& pass_env) {
    if (pass_env == "all") return environment;
    std::map<std::string, std::string> base;
    for (const auto& [name, value] : environment)
        if (usual(name) || ("," + pass_env + ",").find("," + name + ",") != std::string::npos)
            base.emplace(name, value);
    return base;
}

std::vector<std::string> child_environment(std::map<std::string, std::string> base,
                                           const std::map<std::string, std::string>& own) {
    for (const auto& [name, value] : own) base[name] = value;
    std::vector<std::string> lines;
    lines.reserve(base.size());
    for (const auto& [name, value] : base) lines.push_back(name + "=" + value);
    return lines;
}

} // namespace config
