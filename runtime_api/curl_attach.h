#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime_api/endpoint.h"
#include "runtime_api/http.h"

namespace runtime_api {

/// Connects, sends the request and takes the connection over: see Http::upgrade. `scratch` is read into by
/// all streams of the loop, one at a time; it must not be empty.
boost::asio::awaitable<Upgraded> curl_upgrade(boost::asio::any_io_executor executor, Endpoint endpoint,
                                              HttpRequest request, std::chrono::milliseconds connect_limit,
                                              std::shared_ptr<std::vector<char>> scratch);

} // namespace runtime_api
