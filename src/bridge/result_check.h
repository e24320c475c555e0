#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "src/bridge/catalogue.h"
#include "src/schema/check.h"

namespace bridge {

/// What is wrong with a CallToolResult by its tool's own output schema, in a sentence; "" where nothing is,
/// where the tool failed, or where nothing was promised. Never a reason to fail a call: it was the server's
/// promise, and the code has the result. Results above a mebibyte are not looked at.
std::string broken_promise(schema::Check& schemas, const CatalogueTool& tool, std::string_view result);

/// The same, where the thread of the loop may do it (schema::Check::problems_at_once).
std::optional<std::string> broken_promise_at_once(schema::Check& schemas, const CatalogueTool& tool,
                                                  std::string_view result);

} // namespace bridge
