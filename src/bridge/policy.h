#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bridge {

/// What a run may use. The one place where that is decided: each request of the guest passes here. For now by
/// server: the call's `servers` and `--servers all|listed`; rules by tool come here later.
class Policy {
public:
    /// `configured`: names of all usable servers. `named`: the call's `servers`, already known to exist;
    /// nothing: it named none.
    Policy(std::vector<std::string> configured, std::optional<std::vector<std::string>> named,
           bool listed_only);

    /// The servers of this run, in the order of the configuration.
    const std::vector<std::string>& servers() const { return servers_; }
    bool allows(const std::string& server) const;

    /// What a run may use, to go with what it leaves behind: the servers, or nothing where it may use all.
    using Rights = std::optional<std::vector<std::string>>;
    Rights rights() const;
    /// Takes from the run what `other` did not have, since something that was left with those rights now runs
    /// in it, and cannot be told from the rest. `why` is what refusals say. Gives the servers that it lost.
    std::vector<std::string> narrow_to(const Rights& other, const std::string& why);

    /// Whether the run may use fewer than are configured.
    bool is_narrow() const { return narrow_; }
    /// Why a configured server is not allowed, fit for the code that asked.
    std::string refusal(const std::string& server) const;

private:
    std::vector<std::string> servers_;
    bool named_ = false;
    bool narrow_ = false;
    std::map<std::string, std::string> lost_{}; ///< Servers that narrow_to took away, and why.
};

} // namespace bridge
