#pragma once
#include <string_view>

namespace cli {

/// A file of this project, as it was when this program was built. embed.py writes tables of them.
struct EmbeddedFile {
    std::string_view name; ///< Its path below the table's root; of a Python file without the ending.
    std::string_view text;
};

} // namespace cli
