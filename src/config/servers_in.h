#pragma once
#include <string>
#include <string_view>

#include "src/base/json.h"

namespace config {

/// The object of a file that holds its servers.
struct ServersIn {
    json::Reader reader;
    std::string_view text; ///< The same, within the file's text.
};

/// Looks for "mcpServers", then for what other clients call it: "servers" (VS Code; also within "mcp"),
/// "context_servers" (Zed), "mcp" (opencode). `text` is the JSON that root was read from, without a byte
/// order mark. Throws json::Error that names the right key where there is none.
ServersIn find_servers(const json::Reader& root, std::string_view text);

} // namespace config
