#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "runtime_api/curl_http.h"
#include "runtime_api/error.h"
#include "runtime_api/ssh_tunnel.h"

namespace runtime_api {
namespace asio = boost::asio;
namespace {

/// ssh tells why a channel failed a moment after it closed the connection.
constexpr std::chrono::milliseconds time_to_say{150};

Endpoint local(const SshTunnel& tunnel) {
    Endpoint out;
    out.path = tunnel.local_path();
    return out;
}

class TunnelHttp final : public Http {
public:
    TunnelHttp(asio::any_io_executor executor, Endpoint endpoint, std::chrono::milliseconds connect_limit,
               SshOptions options)
        : url_(endpoint.url()), tunnel_(std::move(endpoint), std::move(options)),
          http_(std::move(executor), local(tunnel_), connect_limit) {}

    asio::awaitable<HttpResponse> send(HttpRequest request) override {
        std::exception_ptr failure;
        co_await tunnel_.ready();
        const std::size_t before = tunnel_.words_size();
        try {
            co_return co_await http_.send(std::move(request));
        } catch (const Error&) {
            failure = std::current_exception(); // co_await is not allowed in a handler
        }
        co_await explain(failure, before);
        std::rethrow_exception(failure);
    }

    asio::awaitable<Upgraded> upgrade(HttpRequest request) override {
        std::exception_ptr failure;
        co_await tunnel_.ready();
        const std::size_t before = tunnel_.words_size();
        try {
            co_return co_await http_.upgrade(std::move(request));
        } catch (const Error&) {
            failure = std::current_exception();
        }
        co_await explain(failure, before);
        std::rethrow_exception(failure);
    }

private:
    /// Throws the failure again, with the far URL and what ssh said meanwhile, if it was the connection that
    /// failed.
    asio::awaitable<void> explain(std::exception_ptr failure, std::size_t before) {
        std::string message;
        try {
            std::rethrow_exception(failure);
        } catch (const Error& e) {
            if (e.code() != Errc::unavailable && e.code() != Errc::protocol) throw;
            message = e.what();
        }
        asio::steady_timer timer(co_await asio::this_coro::executor, time_to_say);
        boost::system::error_code ignored;
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        const std::string said = tunnel_.words(before);
        throw Error(Errc::unavailable,
                    message + " (forwarded by ssh to " + url_ + (said.empty() ? "" : ": " + said) + ')');
    }

    std::string url_;
    SshTunnel tunnel_;
    CurlHttp http_;
};

} // namespace

std::unique_ptr<Http> make_tunnel_http(asio::any_io_executor executor, Endpoint endpoint,
                                       std::chrono::milliseconds connect_limit, SshOptions options) {
    return std::make_unique<TunnelHttp>(std::move(executor), std::move(endpoint), connect_limit,
                                        std::move(options));
}

} // namespace runtime_api
