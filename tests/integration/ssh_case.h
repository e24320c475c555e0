#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "runtime_api/error.h"
#include "runtime_api/http.h"
#include "tests/integration/sshd.h"
#include "tests/unit/fake_podman.h"
#include "tests/unit/run.h"

/// What the tests of ssh:// share.

inline constexpr const char* rootless =
    R"({"host":{"security":{"rootless":true}},"version":{"Version":"4.3.1"}})";

inline std::unique_ptr<runtime_api::Http> http_to(boost::asio::io_context& loop,
                                                  const runtime_api::Endpoint& endpoint,
                                                  const runtime_api::SshOptions& options) {
    return make_tunnel_http(loop.get_executor(), endpoint, std::chrono::seconds(5), options);
}

inline int status_of(boost::asio::io_context& loop, runtime_api::Http& http) {
    runtime_api::HttpRequest request;
    request.target = "/_ping";
    return run(loop, http.send(request)).status;
}

inline std::string failure_of(boost::asio::io_context& loop, runtime_api::Http& http) {
    try {
        return "status " + std::to_string(status_of(loop, http));
    } catch (const runtime_api::Error& e) {
        return e.what();
    }
}

/// What happens at the first request.
inline std::string failure_of(const runtime_api::Endpoint& endpoint, const runtime_api::SshOptions& options) {
    boost::asio::io_context loop;
    const std::unique_ptr<runtime_api::Http> http = http_to(loop, endpoint, options);
    return failure_of(loop, *http);
}

#define CHECK_HAS(text, part) CHECK_MESSAGE(std::string(text).find(part) != std::string::npos, (text))
