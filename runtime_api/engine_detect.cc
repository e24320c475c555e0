#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "runtime_api/curl_http.h"
#include "runtime_api/engine.h"
#include "runtime_api/engine_answer.h"
#include "runtime_api/engine_detect.h"
#include "runtime_api/libpod_engine.h"

namespace runtime_api {
namespace asio = boost::asio;

asio::awaitable<std::unique_ptr<Engine>> detect_engine(std::unique_ptr<Http> http, std::string where,
                                                       Timeouts timeouts) {
    HttpRequest request;
    request.target = "/_ping"; // without a version: every engine answers this one
    request.limit = timeouts.quick;
    request.max_body = 64 * 1024;
    const HttpResponse answer = co_await http->send(std::move(request));
    if (answer.status != 200) throw answer_error("ping " + where, answer);
    if (answer.headers.contains("libpod-api-version"))
        co_return std::make_unique<LibpodEngine>(std::move(http), timeouts);
    throw Error(Errc::protocol, "what listens at " + where + " is neither podman nor Docker");
}

asio::awaitable<std::unique_ptr<Engine>> connect_engine(Endpoint endpoint, Timeouts timeouts) {
    const std::string where = endpoint.url();
    auto http =
        std::make_unique<CurlHttp>(co_await asio::this_coro::executor, std::move(endpoint), timeouts.connect);
    co_return co_await detect_engine(std::move(http), where, timeouts);
}

} // namespace runtime_api
