#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/mcp/client/spec.h"

namespace mcp {

/// Headers that repeat parts of a message, so that what stands between can route without reading it
/// (2026-07-28, HTTP). Pure.

/// A value as a header may carry it: itself where it is visible ASCII with spaces inside only, else base64 in
/// its wrapper.
std::string header_value(std::string_view text);

/// Finds the `x-mcp-header` annotations in a checked schema of an object. Gives "", or what is wrong with
/// them: then the tool must not be used over HTTP.
std::string read_header_params(std::string_view schema, std::vector<HeaderParam>& out);

/// "Mcp-Param-Region: eu" for each of the arguments (checked JSON) that is there and not null.
std::vector<std::string> param_headers(const std::vector<HeaderParam>& params, std::string_view arguments);

} // namespace mcp
