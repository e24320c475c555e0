#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/policy/decide.h"

namespace bridge {

/// A call that a rule wants to be asked of a person.
struct CallQuestion {
    std::string server{};
    std::string tool{};        ///< By its name on the wire.
    std::string arguments{};   ///< A checked JSON object, up to 64 MiB; the code's words.
    std::string description{}; ///< The server's words on the tool; may be empty.
    std::string rule{};        ///< By which it is asked, as policy::called names it; "" for the default. Or
                               ///< what was read before, where data could leave.
    std::optional<policy::Rule> by{}; ///< That rule; nothing: the default.
    bool may_be_always = true;        ///< A rule could allow it; none allows what data could leave by.
};

/// Asks it. "": this call may go on; else why it may not. Cancellable (terminal).
using AskCall = std::function<boost::asio::awaitable<std::string>(CallQuestion)>;

/// What a run may use. The one place where that is decided: each request of the guest passes here. By server:
/// the call's `servers` and `--servers all|listed`; then by the user's rules (src/policy). On the loop's
/// thread.
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

    /// The user's rules for this run, which hold beside all of the above. A server of which they refuse every
    /// tool is taken from the run. `minute` outlives the run; `ask` empty: what must be asked is refused.
    void rule_by(std::shared_ptr<const policy::Rules> rules, policy::Minute* minute, AskCall ask = {});
    /// The rules, or null if there are none that refuse, ask or limit anything. Any thread may match by them.
    const std::shared_ptr<const policy::Rules>& rules() const { return rules_; }
    /// Decides a call by what policy::match found; counts it if it is allowed. Only while there are rules.
    policy::Decision decide(const policy::Target& target, const policy::Match& found,
                            std::size_t argument_bytes);
    /// A person has allowed the call: "" and it is counted, or the limit that other calls reached meanwhile.
    std::string let_through(const policy::Target& target, const policy::Match& found,
                            std::size_t argument_bytes);
    const AskCall& ask() const { return ask_; }
    /// Private servers that the code may have read from, to go with what it leaves behind in a session.
    const std::set<std::string>& read() const { return usage_.read(); }
    void has_read(const std::set<std::string>& servers) {
        for (const std::string& each : servers) usage_.has_read(each);
    }

    /// Whether the run may use fewer than are configured.
    bool is_narrow() const { return narrow_; }
    /// Why a configured server is not allowed, fit for the code that asked.
    std::string refusal(const std::string& server) const;

private:
    std::vector<std::string> servers_;
    bool named_ = false;
    bool narrow_ = false;
    std::map<std::string, std::string> lost_{};    ///< Servers that narrow_to took away, and why.
    std::map<std::string, std::string> refused_{}; ///< Servers that the rules took away, and why.
    std::shared_ptr<const policy::Rules> rules_{};
    policy::Usage usage_{};
    AskCall ask_{};
};

} // namespace bridge
