#pragma once
#include <optional>
#include <string>

#include "src/policy/decide.h"

namespace policy {

/// The rule that allows every call of a tool from now on, as it is written into a policy file. Several lines
/// of TOML, with an end of line.
std::string allowing_rule(const Target& target);

/// Whether that rule can take the place of `asking` (null: the default asks): it comes from the file, and has
/// no conditions, hints or limits that the new rule would step over.
bool can_be_replaced(const Rule* asking);

/// A policy file's text with allowing_rule in it: above the rule that asks, so that those before it still
/// decide first; at the end where the default asks. Throws std::runtime_error where the text is not what
/// `asking` was read from any more, or would not allow the tool then.
std::string with_allowing_rule(const std::string& text, const std::string& file, const std::string& home,
                               const Rule* asking, const Target& target);

} // namespace policy
