#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/bridge/policy.h"

namespace bridge {

/// What a person answers to one call. What is none of these is a no.
enum class Permission { no, once, run, session, always };

inline constexpr std::size_t most_calls_of_form = 8;

/// One call as it is asked.
struct AskedCall {
    CallQuestion question{};
    std::string always{}; ///< The rule that "always" writes, and is shown; empty: not offered.
    bool session = false; ///< "For this session" is offered.
};

/// The params of elicitation/create for some calls, at most most_calls_of_form. Each shows its server, tool,
/// arguments, rule and what the server says of the tool: bounded, on lines of their own, with control
/// characters made visible. `file`: where "always" writes to. Pure.
std::string call_form(const std::vector<AskedCall>& calls, const std::string& file);

/// The answers in the client's result, one a call: no, wherever it is not a plain answer that was offered.
std::vector<Permission> form_answers(std::string_view result, const std::vector<AskedCall>& calls);

} // namespace bridge
