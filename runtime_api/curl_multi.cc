#include "runtime_api/curl_multi.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>
#include <new>
#include <utility>

#include "runtime_api/error.h"

namespace runtime_api {
namespace asio = boost::asio;

namespace {

/// Connections that are kept for the next transfer. They cost the loop nothing.
constexpr long most_resting = 4;

} // namespace

EasyHandle new_easy() {
    EasyHandle easy(curl_easy_init());
    if (!easy) throw std::bad_alloc();
    return easy;
}

/// Watches a dup of libcurl's descriptor: libcurl closes its own when it likes, before it says so.
struct CurlMulti::Watch {
    Watch(const asio::any_io_executor& executor, curl_socket_t socket)
        : descriptor(executor, ::fcntl(socket, F_DUPFD_CLOEXEC, 0)) {}

    asio::posix::stream_descriptor descriptor;
    int wanted = 0; ///< CURL_POLL_IN, CURL_POLL_OUT or both.
    bool reading = false;
    bool writing = false;
};

CurlMulti::CurlMulti(asio::any_io_executor executor)
    : executor_(std::move(executor)), timer_(executor_), multi_(curl_multi_init()) {
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, most_resting);
}

CurlMulti::~CurlMulti() {
    // curl_multi_cleanup may still call these, on members that are gone.
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, nullptr);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
}

void CurlMulti::add(CURL* easy, Job* job) {
    curl_easy_setopt(easy, CURLOPT_PRIVATE, job);
    const CURLMcode code = curl_multi_add_handle(multi_.get(), easy);
    if (code != CURLM_OK) throw Error(Errc::unavailable, curl_multi_strerror(code));
}

void CurlMulti::remove(CURL* easy) noexcept { curl_multi_remove_handle(multi_.get(), easy); }

int CurlMulti::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) noexcept {
    try {
        static_cast<CurlMulti*>(self)->watch(socket, what);
        return 0;
    } catch (...) { // no memory or no descriptor left: libcurl fails the transfer
        return -1;
    }
}

int CurlMulti::on_timer(CURLM*, long milliseconds, void* self) noexcept {
    try {
        static_cast<CurlMulti*>(self)->set_timer(milliseconds);
        return 0;
    } catch (...) {
        return -1;
    }
}

void CurlMulti::watch(curl_socket_t socket, int what) {
    if (what == CURL_POLL_REMOVE) {
        watches_.erase(socket);
        return;
    }
    std::shared_ptr<Watch>& entry = watches_[socket];
    if (!entry) entry = std::make_shared<Watch>(executor_, socket);
    entry->wanted = what;
    const std::shared_ptr<Watch> held = entry;
    if ((what & CURL_POLL_IN) != 0) arm(socket, held, true);
    if ((what & CURL_POLL_OUT) != 0) arm(socket, held, false);
}

void CurlMulti::arm(curl_socket_t socket, const std::shared_ptr<Watch>& watch, bool reading) {
    bool& armed = reading ? watch->reading : watch->writing;
    if (armed) return;
    armed = true;
    const auto how =
        reading ? asio::posix::stream_descriptor::wait_read : asio::posix::stream_descriptor::wait_write;
    // Weak: a handler that is queued already runs even after the watch was removed.
    watch->descriptor.async_wait(how, [weak_self = weak_from_this(), weak = std::weak_ptr(watch), socket,
                                       reading](boost::system::error_code ec) {
        const auto self = weak_self.lock();
        const auto held = weak.lock();
        if (!self || !held) return;
        (reading ? held->reading : held->writing) = false;
        if (ec == asio::error::operation_aborted) return;
        self->ready(socket, held, ec ? CURL_CSELECT_ERR : reading ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
    });
}

void CurlMulti::ready(curl_socket_t socket, const std::shared_ptr<Watch>& watch, int events) {
    const auto current = [&] {
        const auto it = watches_.find(socket); // the number may belong to another connection by now
        return it != watches_.end() && it->second == watch;
    };
    const int still_wanted = events == CURL_CSELECT_IN    ? watch->wanted & CURL_POLL_IN
                             : events == CURL_CSELECT_OUT ? watch->wanted & CURL_POLL_OUT
                                                          : 1;
    if (!current() || still_wanted == 0) return;
    act(socket, events);
    if (!current()) return;
    if ((watch->wanted & CURL_POLL_IN) != 0) arm(socket, watch, true);
    if ((watch->wanted & CURL_POLL_OUT) != 0) arm(socket, watch, false);
}

void CurlMulti::set_timer(long milliseconds) {
    timer_.cancel();
    if (milliseconds < 0) return;
    // Never call libcurl from here, even for 0 ms: it is inside one of its own functions.
    timer_.expires_after(std::chrono::milliseconds(milliseconds));
    timer_.async_wait([weak_self = weak_from_this()](boost::system::error_code ec) {
        const auto self = weak_self.lock();
        if (!ec && self) self->act(CURL_SOCKET_TIMEOUT, 0);
    });
}

void CurlMulti::act(curl_socket_t socket, int events) {
    int running = 0;
    curl_multi_socket_action(multi_.get(), socket, events, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        char* job = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &job);
        static_cast<Job*>(static_cast<void*>(job))->finish(message->data.result);
    }
}

void CurlCompletion::finish(CURLcode code) noexcept {
    done_ = true;
    code_ = code;
    event_.cancel();
}

asio::awaitable<void> CurlCompletion::wait_until(std::chrono::steady_clock::time_point time) {
    if (done_) co_return;
    boost::system::error_code ec;
    event_.expires_at(time);
    co_await event_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    if (!done_ && ec) throw Error(Errc::cancelled, "cancelled");
}

} // namespace runtime_api
