#include "src/mcp/server/method_table.h"

namespace mcp {

const MethodTable::Method* MethodTable::find(const std::string& name) const {
    const auto it = methods_.find(name);
    return it == methods_.end() ? nullptr : &it->second;
}

} // namespace mcp
