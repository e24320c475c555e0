#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "runtime_api/curl_http.h"
#include "runtime_api/docker_engine.h"
#include "runtime_api/docker_json.h"
#include "runtime_api/engine.h"
#include "runtime_api/engine_answer.h"
#include "runtime_api/engine_detect.h"
#include "runtime_api/libpod_engine.h"
#include "runtime_api/libpod_json.h"
#include "runtime_api/ssh_tunnel.h"

namespace runtime_api {
namespace asio = boost::asio;
namespace {

/// Http must outlive the call. Docker says its oldest version here alone.
asio::awaitable<std::string> docker_version(Http& http, std::string where, Timeouts timeouts) {
    const std::string attempted = "ask " + where + " for its version";
    HttpRequest request;
    request.target = "/version";
    request.limit = timeouts.quick;
    const HttpResponse answer = co_await http.send(std::move(request));
    if (answer.status != 200) throw answer_error(attempted, answer);
    const docker::VersionRange range =
        read_answer(attempted, [&] { return docker::read_version(answer.body); });
    co_return docker::negotiate(range.oldest, range.newest);
}

} // namespace

asio::awaitable<std::unique_ptr<Engine>> detect_engine(std::unique_ptr<Http> http, std::string where,
                                                       Timeouts timeouts) {
    HttpRequest request;
    request.target = "/_ping"; // without a version: every engine answers this one
    request.limit = timeouts.quick;
    request.max_body = 64 << 10;
    const HttpResponse answer = co_await http->send(std::move(request));
    if (answer.status != 200) throw answer_error("ping " + where, answer);
    if (const auto podman = answer.headers.find("libpod-api-version"); podman != answer.headers.end()) {
        libpod::check_version(podman->second);
        co_return std::make_unique<LibpodEngine>(std::move(http), timeouts, podman->second);
    }
    if (!answer.headers.contains("api-version"))
        throw Error(Errc::protocol, "what listens at " + where + " is neither podman nor Docker");
    std::string version = co_await docker_version(*http, where, timeouts);
    co_return std::make_unique<DockerEngine>(std::move(http), std::move(version), timeouts);
}

asio::awaitable<std::unique_ptr<Engine>> connect_engine(Endpoint endpoint, Timeouts timeouts) {
    const std::string where = endpoint.url();
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    std::unique_ptr<Http> http;
    if (endpoint.kind == Endpoint::Kind::ssh)
        http = make_tunnel_http(executor, std::move(endpoint), timeouts.connect);
    else
        http = std::make_unique<CurlHttp>(executor, std::move(endpoint), timeouts.connect);
    co_return co_await detect_engine(std::move(http), where, timeouts);
}

} // namespace runtime_api
