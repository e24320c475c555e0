#pragma once
#include <memory>
#include <string>

#include "runtime_api/engine.h"
#include "runtime_api/http.h"

namespace runtime_api {

/// Asks which dialect is spoken and returns the engine for it. `where` is for messages. Throws Error as
/// connect_engine does.
boost::asio::awaitable<std::unique_ptr<Engine>> detect_engine(std::unique_ptr<Http> http, std::string where,
                                                              Timeouts timeouts);

} // namespace runtime_api
