#include "runtime_api/container_spec.h"

#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "runtime_api/error.h"
#include "src/base/text.h"

namespace runtime_api {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(Errc::rejected, "container spec: " + why); }

void require(bool holds, const std::string& why) {
    if (!holds) fail(why);
}

bool alphanumeric(char c) { return base::is_letter(c) || base::is_digit(c); }

/// As both engines ask: [a-zA-Z0-9][a-zA-Z0-9_.-]*
void check_name(const std::string& name) {
    require(!name.empty() && alphanumeric(name.front()), "a name must begin with a letter or digit");
    for (const char c : name)
        require(alphanumeric(c) || c == '_' || c == '.' || c == '-',
                "a name has letters, digits and \"_.-\" only");
}

std::uint32_t number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size() && value != UINT32_MAX,
            "user must be \"uid:gid\", two numbers");
    return value;
}

void check_tmpfs(const ContainerSpec& spec) {
    std::set<std::string> seen;
    for (const TmpfsMount& mount : spec.tmpfs) {
        require(mount.at.size() > 1 && mount.at.front() == '/', "a tmpfs needs an absolute path");
        for (const char c : mount.at)
            require(alphanumeric(c) || std::string_view("/_.-").find(c) != std::string_view::npos,
                    "the path of a tmpfs has letters, digits and \"/_.-\" only");
        require(mount.size_bytes > 0, "the size of the tmpfs at " + mount.at + " must be positive");
        require(seen.insert(mount.at).second, "two tmpfs at " + mount.at);
    }
}

void check_rlimits(const ContainerSpec& spec) {
    std::set<std::string> seen;
    for (const Rlimit& limit : spec.rlimits) {
        require(!limit.name.empty(), "an rlimit needs a name");
        for (const char c : limit.name)
            require(c >= 'a' && c <= 'z', "the name of an rlimit is like \"nofile\"");
        require(limit.value >= 0, "the rlimit " + limit.name + " must not be negative");
        require(seen.insert(limit.name).second, "two rlimits " + limit.name);
    }
}

} // namespace

UserIds parse_user(const std::string& user) {
    const std::size_t colon = user.find(':');
    require(colon != std::string::npos, "user must be \"uid:gid\", two numbers");
    return UserIds{number(std::string_view(user).substr(0, colon)),
                   number(std::string_view(user).substr(colon + 1))};
}

void check_spec(const ContainerSpec& spec) {
    check_name(spec.name);
    require(!spec.image.empty(), "an image is needed");
    require(!spec.command.empty(), "a command is needed: the image's own is not trusted");
    parse_user(spec.user);
    require(!spec.working_dir.empty() && spec.working_dir.front() == '/',
            "the working directory must be absolute");
    require(spec.memory_bytes > 0, "memory_bytes must be positive");
    require(spec.pids > 0, "pids must be positive");
    require(!spec.cpus || (std::isfinite(*spec.cpus) && *spec.cpus >= 0.01 && *spec.cpus <= 10'000),
            "cpus must be at least 0.01");
    for (const auto& [name, value] : spec.env)
        require(!name.empty() && name.find('=') == std::string::npos,
                "the name of a variable is empty or has a '='");
    check_tmpfs(spec);
    check_rlimits(spec);
}

} // namespace runtime_api
