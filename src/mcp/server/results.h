#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/jsonrpc/message.h"
#include "src/mcp/server/service.h"
#include "src/mcp/versions.h"

namespace mcp {

/// Who we say we are.
struct ServerInfo {
    std::string name = "cordon";
    std::string title = "Cordon";
    std::string version = CORDON_VERSION;
};

/// Results as JSON texts, without what only modern versions have: for_era adds that. Pure.
std::string initialize_result(const ServerInfo& info, std::string_view version, std::string_view capabilities,
                              std::string_view instructions);
std::string discover_result(std::string_view capabilities, std::string_view instructions);
std::string tools_result(const std::vector<Tool>& tools);
std::string resources_result(const std::vector<Resource>& resources);
std::string read_result(const ResourceContent& content);

/// A result as a client of that era gets it. Legacy: unchanged. Modern: resultType ("complete" unless it says
/// one already), our serverInfo in `_meta`, and ttlMs and cacheScope where `cacheable`. `result` must be a
/// checked JSON object.
std::string for_era(Era era, std::string result, const ServerInfo& info, bool cacheable);

/// An error as a client of that era may get it: codes that are reserved, or that only mean something to
/// ourselves, become internal_error.
jsonrpc::Error for_era(Era era, const jsonrpc::Error& error);

} // namespace mcp
