#pragma once
#include <memory>
#include <string>

#include "src/sandbox/early_modules.h"

namespace sandbox {

/// What the containers of one engine and image have taught, for those that come after them. Shared by all
/// sandboxes of the two; on the loop's thread.
struct Lessons {
    bool low_rlimits = false; ///< The engine may not set the usual ones.
    /// The guest as code of the image's Python, opaque: its first container compiled it before any user code
    /// ran in there, and so it is worth as much as the image. A guest with another Python passes it over.
    std::string compiled_guest;
    std::string image_id; ///< Of the first container: another one's is that of an image that took its name.
    std::shared_ptr<EarlyModules> early_modules{}; ///< Empty: none are imported early.
    bool for_others = true; ///< False: no container follows, and none need compile anything.

    static constexpr std::size_t max_compiled_guest = 1 << 20; ///< Bytes; it has 130 KB.
};

} // namespace sandbox
