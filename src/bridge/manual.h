#pragma once
#include <string>

namespace bridge {

/// The manual of the helpers, for capability_summary() and the capabilities resource: Markdown, short enough
/// to read in one go, one example of each thing; a test runs each example.
const std::string& manual();

inline constexpr const char* capabilities_uri = "resource://mcp-server-code-execution-mode/capabilities";

} // namespace bridge
