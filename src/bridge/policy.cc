#include "src/bridge/policy.h"

#include <algorithm>

namespace bridge {

Policy::Policy(std::vector<std::string> configured, std::optional<std::vector<std::string>> named,
               bool listed_only)
    : named_(named.has_value()), narrow_(named_ || listed_only) {
    if (!named) {
        if (!listed_only) servers_ = std::move(configured);
        return;
    }
    for (std::string& server : configured)
        if (std::find(named->begin(), named->end(), server) != named->end())
            servers_.push_back(std::move(server));
}

bool Policy::allows(const std::string& server) const {
    return std::find(servers_.begin(), servers_.end(), server) != servers_.end();
}

std::string Policy::refusal(const std::string& server) const {
    if (named_)
        return "server \"" + server + "\" is not in the `servers` of this call; add it there" +
               (servers_.empty() ? ", or leave `servers` out: an empty list means none" : "");
    return "server \"" + server +
           "\" may be used only when the call names it in `servers` (--servers listed)";
}

} // namespace bridge
