#pragma once
#include <string>

namespace bridge {

/// The manual of the helpers, for capability_summary() and the capabilities resource: Markdown, short enough
/// to read in one go, one example of each thing; a test runs each example.
const std::string& manual();

/// What goes below it where the image says what is in it: its label, of which nothing is believed but that it
/// is text.
std::string describe_image(const std::string& contents);

inline constexpr const char* capabilities_uri = "resource://mcp-server-code-execution-mode/capabilities";

} // namespace bridge
