#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "runtime_api/endpoint.h"
#include "runtime_api/http.h"

namespace runtime_api {

class CurlConnection;

/// Waits until the connection stands, sends the request and takes it over: see Http::upgrade. `endpoint` is
/// the connection's.
boost::asio::awaitable<Upgraded> curl_upgrade(boost::asio::any_io_executor executor,
                                              std::shared_ptr<CurlConnection> connection, Endpoint endpoint,
                                              HttpRequest request);

} // namespace runtime_api
