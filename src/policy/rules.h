#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/policy/condition.h"

namespace policy {

enum class Action { allow, ask, deny };
const char* word(Action action); ///< "allow", "ask", "deny"

/// One rule. It matches a call if all that it names fits; the first rule that matches decides.
struct Rule {
    std::string name{};                 ///< What the user calls it; may be empty.
    std::string place{};                ///< "/home/me/.config/cordon/policy.toml:12", or "--deny github.*"
    bool by_flag = false;               ///< It came from the command line or a variable.
    std::vector<std::string> servers{}; ///< Names or globs (policy::fits); empty: any.
    std::vector<std::string> tools{};   ///< By their names on the wire; empty: any.
    std::optional<bool> read_only{};    ///< By readOnlyHint; see ServerTerms::trust_hints.
    std::optional<bool> destructive{};  ///< By destructiveHint, whose default is true.
    std::vector<Condition> when{};      ///< All must hold.
    Action action = Action::deny;

    // For calls that the rule allows, or that are allowed after a question.
    std::optional<std::int64_t> calls_per_run{};    ///< Of all calls that this rule decided in one run.
    std::optional<std::int64_t> calls_per_tool{};   ///< The same, for each tool by itself.
    std::optional<std::int64_t> calls_per_minute{}; ///< Of all runs of this process together.
    std::optional<std::int64_t> max_arguments{};    ///< Bytes of JSON.
    std::optional<std::int64_t> max_result{};       ///< Bytes of JSON.
    std::optional<std::chrono::milliseconds> timeout{};
};

/// What to do when a tool's description or schema has changed. Kept for later; nothing reads it yet.
enum class Pin { ask, deny, warn };

/// What the user says of one server. `pin` is kept for later; nothing reads it yet.
struct ServerTerms {
    bool trust_hints = false; ///< Its readOnlyHint and destructiveHint are to be believed.
    std::optional<Pin> pin{};
    bool holds_private = false; ///< `private`: what it gives is nobody else's business.
    bool is_public = false;     ///< `public`: what it is given can be read by others.
};

/// A whole policy. Immutable once it is read; may be used by several threads.
struct Rules {
    std::vector<Rule> rules{};
    Action fallback = Action::allow; ///< Where no rule matches.
    std::string file{};              ///< "" where there is none.
    std::map<std::string, ServerTerms> servers{};
    bool strict_flow = false; ///< A server that is not marked private counts as public.

    /// Whether it can refuse, ask or limit anything at all.
    bool says_anything() const { return !rules.empty() || fallback != Action::allow || watches_flow(); }
    /// Whether some server's answers are private, and others must be asked for after them.
    bool watches_flow() const;
    bool is_private(const std::string& server) const;
    /// What it is given may be read by others.
    bool is_public(const std::string& server) const;
};

/// How a rule is called in messages: `rule "notes only" (policy.toml:12)`, `the rule at policy.toml:12`,
/// `--deny github.*`.
std::string called(const Rule& rule);

/// The rules of `--deny`, `--ask` and `--allow`, in that order. Each text is a list with commas of SERVER,
/// SERVER.TOOL, names or globs. A name with several dots is read in every way that it can be. Throws
/// std::invalid_argument, which names the flag and says what is allowed, for an empty name, and for more than
/// 200 names.
std::vector<Rule> rules_of_flags(const std::string& deny, const std::string& ask, const std::string& allow);

} // namespace policy
