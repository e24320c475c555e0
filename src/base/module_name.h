#pragma once
#include <string_view>

namespace base {

/// "numpy", "matplotlib.pyplot": the name of a Python module in ASCII, of at most 100 characters.
bool is_module_name(std::string_view text);

} // namespace base
