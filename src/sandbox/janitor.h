#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "src/sandbox/instance.h"

namespace sandbox {

/// A container of ours, or of somebody who labels like us, and what becomes of it.
struct Leftover {
    std::string name;
    std::string state; ///< As the engine says: "running", "created", …
    OwnerState owner = OwnerState::unknown;
    bool past_deadline = false;
    bool dead() const {
        return owner == OwnerState::dead ||
               (past_deadline && owner != OwnerState::ours && owner != OwnerState::alive);
    }
};

/// All containers that an instance named and labelled (is_ours), with a verdict each. Throws
/// runtime_api::Error.
boost::asio::awaitable<std::vector<Leftover>> find_leftovers(std::shared_ptr<runtime_api::Engine> engine,
                                                             const Instance* instance);

/// Removes those whose owner is gone, or that are past their deadline; never a living one's. Returns the
/// names removed; what cannot be removed is said through `log` and left for the next time. Throws
/// runtime_api::Error where the engine cannot even list.
boost::asio::awaitable<std::vector<std::string>> sweep(std::shared_ptr<runtime_api::Engine> engine,
                                                       const Instance* instance,
                                                       std::function<void(const std::string&)> log);

} // namespace sandbox
