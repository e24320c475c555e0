#pragma once
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "src/engines/discovery.h"
#include "src/sandbox/pull_audience.h"

namespace sandbox {

/// The label in which our images say what is in them.
inline constexpr const char* contents_label = "io.cordon.contents";

/// " → trouble: remedy" for what the engine said, where that is known; else "".
std::string explanation(const engines::Found& found, const std::string& words);

/// Pulls an image with the user's own login for its registry, where podman or Docker keeps one, and shows how
/// far it is. Throws runtime_api::Error, whose message says what to do about it where that is known, with
/// which login it was tried, and what of the logins could not be read. Cancellable (terminal).
boost::asio::awaitable<void> pull_image(std::shared_ptr<const engines::Found> found, std::string reference,
                                        PullAudience audience);

} // namespace sandbox
