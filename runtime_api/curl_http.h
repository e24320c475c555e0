#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>

#include "runtime_api/endpoint.h"
#include "runtime_api/http.h"

namespace runtime_api {

/// Http by libcurl on the loop of the executor. Connections are used again, since over a network each costs
/// up to three round trips; what changes something is sent once, whatever becomes of its connection.
/// Connecting over plain tcp:// and https:// uses no proxy. Must outlive its calls.
class CurlHttp final : public Http {
public:
    /// Does not connect yet. Throws Error(bad_endpoint) for ssh.
    CurlHttp(boost::asio::any_io_executor executor, Endpoint endpoint,
             std::chrono::milliseconds connect_limit);
    ~CurlHttp() override;

    boost::asio::awaitable<HttpResponse> send(HttpRequest request) override;
    boost::asio::awaitable<Upgraded> upgrade(HttpRequest request) override;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

} // namespace runtime_api
