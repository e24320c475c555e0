#pragma once
#include <cstdint>
#include <string>

#include "runtime_api/engine.h"

namespace runtime_api {

/// A user given as numbers.
struct UserIds {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
};

/// Reads "uid:gid". Throws Error(rejected) for anything else: a name would be looked up in the image, which
/// is not trusted.
UserIds parse_user(const std::string& user);

/// Refuses, with Error(rejected), what engines read as "no limit" or would read in another way than meant: a
/// limit that is not positive, a name or a path with odd characters, a tmpfs or rlimit given twice.
void check_spec(const ContainerSpec& spec);

} // namespace runtime_api
