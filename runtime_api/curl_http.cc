#include "runtime_api/curl_http.h"

#include <utility>
#include <vector>

#include "runtime_api/curl_attach.h"
#include "runtime_api/curl_multi.h"
#include "runtime_api/curl_setup.h"
#include "runtime_api/curl_transfer.h"
#include "runtime_api/error.h"

namespace runtime_api {
namespace asio = boost::asio;

struct CurlHttp::Shared {
    asio::any_io_executor executor;
    Endpoint endpoint;
    std::chrono::milliseconds connect_limit;
    std::shared_ptr<CurlMulti> multi;
    /// Into which all attach streams read in turn: a piece is up to this large.
    std::shared_ptr<std::vector<char>> scratch = std::make_shared<std::vector<char>>(256 * 1024);
};

CurlHttp::CurlHttp(asio::any_io_executor executor, Endpoint endpoint,
                   std::chrono::milliseconds connect_limit) {
    init_curl();
    if (endpoint.kind == Endpoint::Kind::ssh)
        throw Error(Errc::bad_endpoint, endpoint.url() + " must be forwarded to a local socket first");
    shared_ = std::make_shared<Shared>();
    shared_->multi = std::make_shared<CurlMulti>(executor);
    shared_->executor = std::move(executor);
    shared_->endpoint = std::move(endpoint);
    shared_->connect_limit = connect_limit;
}

CurlHttp::~CurlHttp() = default;

asio::awaitable<HttpResponse> CurlHttp::send(HttpRequest request) {
    const std::shared_ptr<Shared> shared = shared_;
    CurlTransfer transfer(shared->multi, shared->executor, shared->endpoint, std::move(request),
                          shared->connect_limit);
    co_return co_await transfer.result();
}

asio::awaitable<Upgraded> CurlHttp::upgrade(HttpRequest request) {
    const std::shared_ptr<Shared> shared = shared_;
    co_return co_await curl_upgrade(shared->executor, shared->endpoint, std::move(request),
                                    shared->connect_limit, shared->scratch);
}

} // namespace runtime_api
