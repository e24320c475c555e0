#pragma once
#include <string>
#include <string_view>

namespace search {

/// True for Python's reserved words ("class", "None", …), which no name may be.
bool is_python_keyword(std::string_view word);

/// The name by which Python reaches a parameter: itself where it is an identifier, else made one: "user-id"
/// is user_id, "from" is from_, "2nd" is _2nd. Characters beyond ASCII are taken for letters.
std::string parameter_alias(std::string_view name);

} // namespace search
