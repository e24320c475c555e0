#include "runtime_api/curl_http.h"

#include <deque>
#include <utility>
#include <vector>

#include "runtime_api/curl_attach.h"
#include "runtime_api/curl_connection.h"
#include "runtime_api/curl_multi.h"
#include "runtime_api/curl_setup.h"
#include "runtime_api/curl_transfer.h"
#include "runtime_api/error.h"

namespace runtime_api {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

struct CurlHttp::Shared {
    asio::any_io_executor executor;
    Endpoint endpoint;
    std::chrono::milliseconds connect_limit;
    std::shared_ptr<CurlMulti> multi;
    /// Into which all attach streams read in turn: a piece is up to this large.
    std::shared_ptr<std::vector<char>> scratch = std::make_shared<std::vector<char>>(256 * 1024);

    /// Connections made for streams that were announced.
    struct Spare {
        std::shared_ptr<CurlConnection> connection;
        Clock::time_point since;
    };
    std::deque<Spare> spares;

    std::shared_ptr<CurlConnection> new_connection() {
        return std::make_shared<CurlConnection>(executor, endpoint, connect_limit, scratch);
    }

    void drop_old_spares() {
        const auto limit = Clock::now() - longest_rest_of_connections;
        while (!spares.empty() && spares.front().since < limit) spares.pop_front();
    }

    std::shared_ptr<CurlConnection> connection_for_stream() {
        drop_old_spares();
        while (!spares.empty()) {
            std::shared_ptr<CurlConnection> spare = std::move(spares.front().connection);
            spares.pop_front();
            if (!spare->failed()) return spare;
        }
        return new_connection();
    }
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
    Shared::Spare spare;
    if (request.stream_follows) {
        shared->drop_old_spares();
        spare.connection = shared->new_connection();
    }
    CurlTransfer transfer(shared->multi, shared->executor, shared->endpoint, std::move(request),
                          shared->connect_limit);
    HttpResponse answer = co_await transfer.result();
    spare.since = Clock::now();
    if (spare.connection && answer.status < 300) shared->spares.push_back(std::move(spare));
    co_return answer;
}

asio::awaitable<Upgraded> CurlHttp::upgrade(HttpRequest request) {
    const std::shared_ptr<Shared> shared = shared_;
    const std::shared_ptr<CurlConnection> connection = shared->connection_for_stream();
    co_return co_await curl_upgrade(shared->executor, connection, shared->endpoint, std::move(request));
}

} // namespace runtime_api
