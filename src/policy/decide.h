#pragma once
#include <string>
#include <string_view>

#include "src/policy/rules.h"
#include "src/policy/usage.h"

namespace policy {

/// A tool that is called.
struct Target {
    std::string server{};      ///< As it is configured.
    std::string tool{};        ///< Its name on the wire.
    std::string annotations{}; ///< What the server says of it: a checked JSON object, or empty.
};

/// The rule that decides, before anything is counted.
struct Match {
    Action action = Action::allow;
    const Rule* rule = nullptr; ///< Null: none matched, and the default decides. Lives as long as the Rules.
    /// The first rule before it that would allow such a call but for a condition, and that condition.
    const Rule* missed = nullptr;
    const Condition* condition = nullptr;
    bool answered = false; ///< A person has allowed it.
};

/// What is decided of one call.
struct Decision {
    Action action = Action::allow;
    const Rule* rule = nullptr;
    bool by_limit = false; ///< The rule allows such calls, but not this one more, or not one so large.
    std::string flow{}; ///< Asked since data could leave: "this run has read from notes, which is private".
    std::string refusal{}; ///< Where the action is not allow: by what, and what to write to allow it.
};

/// Finds the rule that decides. `arguments` is a checked JSON object. The work grows with the arguments' size
/// and the number of conditions; any thread may do it.
///
/// A rule that could match (Truth::maybe) does not allow; it does refuse. If it asks, later rules may still
/// refuse.
Match match(const Rules& rules, const Target& target, std::string_view arguments);

/// Decides one call: the match, then the rule's limits, then where data could flow. A call of a public server
/// is asked once a private one was read (by the whole run: which bytes came from where nobody knows). An
/// allowed call is counted; a question is counted when it is answered: decide again, with Match::answered. On
/// the loop's thread.
Decision decide(const Rules& rules, const Target& target, const Match& match, std::size_t argument_bytes,
                Usage& usage);

/// The same of what is at hand at once.
Decision decide(const Rules& rules, const Target& target, std::string_view arguments, Usage& usage);

/// What can become of calls of a tool, whatever their arguments.
struct Outlook {
    bool may_pass = false; ///< Some call could be allowed.
    bool may_ask = false;  ///< Some call would be asked.
    bool may_fail = false; ///< Some call would be refused.
    int ways() const { return may_pass + may_ask + may_fail; }
    bool never() const { return !may_pass && !may_ask; }
    bool always_asks() const { return !may_pass && may_ask; }
};
Outlook outlook(const Rules& rules, const Target& target);

/// Why no tool of a server can be called, whatever its tools are; "" if one could.
std::string server_refusal(const Rules& rules, const std::string& server);

/// The rules that name servers of which none is configured, a line each with the nearest: most likely a
/// mistake.
std::vector<std::string> unmet(const Rules& rules, const std::vector<std::string>& servers);

} // namespace policy
