#pragma once
#include <string>

#include "src/mcp/server/method_table.h"
#include "src/mcp/server/results.h"
#include "src/mcp/server/service.h"

namespace mcp {

/// What a server says of itself.
struct ServerDescription {
    ServerInfo info{};
    std::string capabilities = R"({"tools":{},"resources":{}})"; ///< JSON object.
};

/// Adds what every server of ours answers: initialize, ping, server/discover, tools, resources,
/// subscriptions. `service` must outlive the table.
void add_core_methods(MethodTable& table, Service& service, const ServerDescription& description);

/// The string member `key` of params; throws jsonrpc::Error(invalid_params) that names it.
std::string string_param(const Request& request, std::string_view key);

} // namespace mcp
