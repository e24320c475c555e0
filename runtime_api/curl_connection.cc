#include "runtime_api/curl_connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "runtime_api/curl_setup.h"
#include "runtime_api/error.h"

namespace runtime_api {
namespace asio = boost::asio;

namespace {

constexpr std::size_t at_once = 1 << 20; // bytes written before others have a turn

/// A way that carries nothing any more is noticed by what we sent on it (a guest is sent something every few
/// seconds), and not after the quarter of an hour that the kernel would go on trying: before the guest gives
/// us up, so that nobody is given a warm container that has ended meanwhile. Requests have limits of their
/// own, and an engine may be too busy to read one of them for longer.
int limit_silence(void*, curl_socket_t socket, curlsocktype) noexcept {
#ifdef TCP_USER_TIMEOUT
    const unsigned milliseconds = 20'000;
    ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
#else
    static_cast<void>(socket);
#endif
    return CURL_SOCKOPT_OK;
}

} // namespace

CurlConnection::CurlConnection(const asio::any_io_executor& executor, Endpoint endpoint,
                               std::chrono::milliseconds connect_limit,
                               std::shared_ptr<std::vector<char>> scratch)
    // A multi handle of its own: another's cache may close an idle connection to make room, and to libcurl
    // this one is idle.
    : endpoint_(std::move(endpoint)), scratch_(std::move(scratch)),
      multi_(std::make_shared<CurlMulti>(executor)), connected_(executor), descriptor_(executor),
      easy_(new_easy()) {
    set_common_options(easy_.get(), endpoint_, "/", connect_limit);
    curl_easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, error_text_.data());
    curl_easy_setopt(easy_.get(), CURLOPT_CONNECT_ONLY, 1L);
    if (endpoint_.kind != Endpoint::Kind::unix_socket)
        curl_easy_setopt(easy_.get(), CURLOPT_SOCKOPTFUNCTION, &limit_silence);
    curl_easy_setopt(easy_.get(), CURLOPT_BUFFERSIZE,
                     static_cast<long>(scratch_->size())); // curl_easy_recv gives no more at once
    multi_->add(easy_.get(), &connected_);
}

asio::awaitable<void> CurlConnection::connect() {
    co_await connected_.wait_until(std::chrono::steady_clock::time_point::max()); // libcurl has the limit
    if (closed()) throw Error(Errc::cancelled, "closed while connecting");
    if (connected_.code() != CURLE_OK) throw failure(connected_.code());
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy_.get(), CURLINFO_ACTIVESOCKET, &socket);
    const int copy = socket == CURL_SOCKET_BAD ? -1 : ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw Error(Errc::unavailable, "connect to " + endpoint_.url() + ": no descriptor");
    descriptor_.assign(copy);
}

asio::awaitable<std::string_view> CurlConnection::read(std::shared_ptr<CurlConnection> self) {
    while (!self->closed()) {
        std::vector<char>& buffer = *self->scratch_;
        std::size_t have = 0;
        CURLcode code = CURLE_OK;
        while (have < buffer.size()) {
            std::size_t n = 0;
            code = curl_easy_recv(self->easy_.get(), buffer.data() + have, buffer.size() - have, &n);
            if (code != CURLE_OK || n == 0) break;
            have += n;
        }
        // An end or an error that comes after bytes is found again by the next read.
        if (have > 0) co_return std::string_view(buffer.data(), have);
        if (code == CURLE_OK) break;
        if (code != CURLE_AGAIN) throw self->failure(code);
        co_await self->ready(asio::posix::stream_descriptor::wait_read);
    }
    co_return std::string_view();
}

asio::awaitable<void> CurlConnection::write(std::shared_ptr<CurlConnection> self, std::string data) {
    std::size_t sent = 0, in_turn = 0;
    while (sent < data.size()) {
        if (self->closed()) throw Error(Errc::unavailable, "the stream is closed");
        std::size_t n = 0;
        const CURLcode code = curl_easy_send(self->easy_.get(), data.data() + sent, data.size() - sent, &n);
        if (code == CURLE_AGAIN) {
            co_await self->ready(asio::posix::stream_descriptor::wait_write);
            in_turn = 0;
        } else if (code != CURLE_OK) {
            throw self->failure(code);
        } else {
            sent += n;
            in_turn += n;
        }
        if (in_turn < at_once || sent == data.size()) continue;
        co_await asio::post(self->descriptor_.get_executor(), asio::use_awaitable);
        in_turn = 0;
    }
}

asio::awaitable<void> CurlConnection::ready(asio::posix::stream_descriptor::wait_type what) {
    boost::system::error_code ec;
    co_await descriptor_.async_wait(what, asio::redirect_error(asio::use_awaitable, ec));
    if (!closed() && ec == asio::error::operation_aborted) throw Error(Errc::cancelled, "cancelled");
}

void CurlConnection::close() noexcept {
    if (!easy_) return;
    boost::system::error_code ignored;
    descriptor_.close(ignored); // wakes whoever waits for bytes
    multi_->remove(easy_.get());
    easy_.reset();
    if (!connected_.done())
        connected_.finish(CURLE_ABORTED_BY_CALLBACK); // wakes whoever waits for the connection
}

Error CurlConnection::failure(CURLcode code) const {
    return curl_error(easy_.get(), code, endpoint_, error_text_.data());
}

} // namespace runtime_api
