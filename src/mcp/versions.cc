#include "src/mcp/versions.h"

#include <algorithm>

namespace mcp {
namespace {

bool holds(const std::vector<std::string>& versions, std::string_view version) {
    return std::find(versions.begin(), versions.end(), version) != versions.end();
}

} // namespace

const std::vector<std::string>& legacy_versions() {
    static const std::vector<std::string> versions{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
    return versions;
}

const std::vector<std::string>& modern_versions() {
    static const std::vector<std::string> versions{"2026-07-28"};
    return versions;
}

bool is_legacy_version(std::string_view version) { return holds(legacy_versions(), version); }
bool is_modern_version(std::string_view version) { return holds(modern_versions(), version); }

std::string negotiate(std::string_view requested) {
    return is_legacy_version(requested) ? std::string(requested) : legacy_versions().front();
}

} // namespace mcp
