#pragma once
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "runtime_api/engine.h"

namespace sandbox {

/// Those who want to see how far the pull of an image is: calls that wait for it, a terminal. Copies are one
/// audience. On the loop's thread.
class PullAudience {
public:
    /// Gets the image and how far it is; null: the pull is over. Must not throw.
    using Sink = std::function<void(const std::string& image, const runtime_api::PullProgress* progress)>;

    /// Shows it all that comes, until what is returned is destroyed.
    std::shared_ptr<void> join(Sink sink);

    void tell(const std::string& image, const runtime_api::PullProgress* progress) const;

private:
    std::shared_ptr<std::list<Sink>> sinks_ = std::make_shared<std::list<Sink>>();
};

/// One line for a person: "pulling python:3.14: 12.3 of 45.0 MB".
std::string describe_pull(const std::string& image, const runtime_api::PullProgress& progress);

/// How far it is, from 0 to 1; 0 where the engine counts no bytes.
double pulled_part(const runtime_api::PullProgress& progress);

} // namespace sandbox
