#include "src/mcp/cancelled.h"

#include "src/base/json.h"

namespace mcp {

std::string cancelled_params(std::string_view id) {
    json::Writer w;
    return w.object().raw_field("requestId", id).field("reason", "the caller gave up").end().take();
}

} // namespace mcp
