#pragma once
#include <boost/asio/awaitable.hpp>
#include <chrono>

#include "src/cli/app.h"

namespace cli {

/// Starts all upstream servers that can be used, together, and waits until each is ready or has failed, at
/// most `limit`. False where one has failed, or is not ready by then.
boost::asio::awaitable<bool> start_servers(App* app, std::chrono::milliseconds limit);

} // namespace cli
