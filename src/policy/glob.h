#pragma once
#include <string_view>

namespace policy {

/// Whether a name fits a pattern as a whole: `*` is any characters, also none; `?` is one byte; all else
/// stands for itself, and case counts. Takes at most the product of both sizes in steps.
bool fits(std::string_view pattern, std::string_view name);

} // namespace policy
