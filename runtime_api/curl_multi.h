#pragma once
#include <curl/curl.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>

namespace runtime_api {

struct EasyCleanup {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, EasyCleanup>;

/// A new easy handle; throws std::bad_alloc if libcurl has none to give.
EasyHandle new_easy();

/// One libcurl multi handle driven by the loop: sockets and the timer are watched by Asio, and libcurl is
/// called only when something is ready. On the loop's thread only. Held by shared_ptr, since transfers and
/// waiting handlers outlive its owner.
class CurlMulti : public std::enable_shared_from_this<CurlMulti> {
public:
    /// A running transfer, as the multi handle sees it.
    class Job {
    public:
        /// libcurl is done with the transfer. Must not call libcurl nor resume anyone: post.
        virtual void finish(CURLcode code) noexcept = 0;

    protected:
        ~Job() = default;
    };

    explicit CurlMulti(boost::asio::any_io_executor executor);
    ~CurlMulti();
    CurlMulti(const CurlMulti&) = delete;
    CurlMulti& operator=(const CurlMulti&) = delete;

    /// Starts the transfer that easy describes; job->finish() is called once, unless remove() comes first.
    /// Both must outlive that.
    void add(CURL* easy, Job* job);

    /// Ends it, whether finished or not. A connection that is not done with is closed.
    void remove(CURL* easy) noexcept;

private:
    struct Watch;

    static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* unused) noexcept;
    static int on_timer(CURLM* multi, long milliseconds, void* self) noexcept;
    void watch(curl_socket_t socket, int what);
    void arm(curl_socket_t socket, const std::shared_ptr<Watch>& watch, bool reading);
    void ready(curl_socket_t socket, const std::shared_ptr<Watch>& watch, int events);
    void set_timer(long milliseconds);
    void act(curl_socket_t socket, int events);

    struct MultiCleanup {
        void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
    };

    boost::asio::any_io_executor executor_;
    boost::asio::steady_timer timer_;
    std::map<curl_socket_t, std::shared_ptr<Watch>> watches_;
    std::unique_ptr<CURLM, MultiCleanup> multi_;
};

/// A Job that one coroutine can wait for.
class CurlCompletion final : public CurlMulti::Job {
public:
    explicit CurlCompletion(const boost::asio::any_io_executor& executor) : event_(executor) {}

    void finish(CURLcode code) noexcept override;

    bool done() const { return done_; }
    CURLcode code() const { return code_; }

    /// Returns when done, or at that time, whichever is first. Throws Error(cancelled). Its object must
    /// outlive the wait.
    boost::asio::awaitable<void> wait_until(std::chrono::steady_clock::time_point time);

private:
    boost::asio::steady_timer event_; ///< cancel() is its signal.
    bool done_ = false;
    CURLcode code_ = CURLE_OK;
};

} // namespace runtime_api
