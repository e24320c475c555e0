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

Policy::Rights Policy::rights() const {
    if (!narrow_) return std::nullopt;
    return servers_;
}

std::vector<std::string> Policy::narrow_to(const Rights& other, const std::string& why) {
    std::vector<std::string> lost;
    if (!other) return lost;
    narrow_ = true;
    std::erase_if(servers_, [&](const std::string& server) {
        const bool goes = std::find(other->begin(), other->end(), server) == other->end();
        if (goes) lost.push_back(server);
        return goes;
    });
    for (const std::string& server : lost) lost_[server] = why;
    return lost;
}

std::string Policy::refusal(const std::string& server) const {
    if (const auto found = lost_.find(server); found != lost_.end())
        return "server \"" + server + "\" may no longer be used in this run: " + found->second;
    if (named_)
        return "server \"" + server + "\" is not in the `servers` of this call; add it there" +
               (servers_.empty() ? ", or leave `servers` out: an empty list means none" : "");
    return "server \"" + server +
           "\" may be used only when the call names it in `servers` (--servers listed)";
}

} // namespace bridge
