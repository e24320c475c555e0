#pragma once
#include <string>
#include <string_view>

namespace mcp {

/// The params of `notifications/cancelled`, in either role. id: the JSON text of the request's id.
std::string cancelled_params(std::string_view id);

} // namespace mcp
