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

void Policy::rule_by(std::shared_ptr<const policy::Rules> rules, policy::Minute* minute, AskCall ask) {
    if (!rules || !rules->says_anything()) return;
    rules_ = std::move(rules);
    usage_ = policy::Usage(minute);
    ask_ = std::move(ask);
    std::erase_if(servers_, [&](const std::string& server) {
        std::string why = policy::server_refusal(*rules_, server);
        if (why.empty()) return false;
        refused_[server] = std::move(why);
        return true;
    });
}

policy::Decision Policy::decide(const policy::Target& target, const policy::Match& found,
                                std::size_t argument_bytes) {
    return policy::decide(*rules_, target, found, argument_bytes, usage_);
}

std::string Policy::let_through(const policy::Target& target, const policy::Match& found,
                                std::size_t argument_bytes) {
    policy::Match allowed = found;
    allowed.answered = true;
    return decide(target, allowed, argument_bytes).refusal;
}

std::string Policy::refusal(const std::string& server) const {
    if (const auto found = refused_.find(server); found != refused_.end()) return found->second;
    if (const auto found = lost_.find(server); found != lost_.end())
        return "server \"" + server + "\" may no longer be used in this run: " + found->second;
    if (named_)
        return "server \"" + server + "\" is not in the `servers` of this call; add it there" +
               (servers_.empty() ? ", or leave `servers` out: an empty list means none" : "");
    return "server \"" + server +
           "\" may be used only when the call names it in `servers` (--servers listed)";
}

} // namespace bridge
