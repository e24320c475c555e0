#pragma once
#include <array>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>

#include "runtime_api/curl_multi.h"
#include "runtime_api/endpoint.h"
#include "runtime_api/http.h"

namespace runtime_api {

/// One exchange: starting it is construction, ending it (whether finished or not) is destruction. On the
/// loop's thread only.
class CurlTransfer {
public:
    CurlTransfer(std::shared_ptr<CurlMulti> multi, const boost::asio::any_io_executor& executor,
                 Endpoint endpoint, HttpRequest request, std::chrono::milliseconds connect_limit);
    ~CurlTransfer() { multi_->remove(easy_.get()); }
    CurlTransfer(const CurlTransfer&) = delete;
    CurlTransfer& operator=(const CurlTransfer&) = delete;

    /// Waits for its end. Once only. Throws Error.
    boost::asio::awaitable<HttpResponse> result();

private:
    void set_body_options();
    void send_file();
    void add_header(const std::string& line);
    /// Before the request is sent, and again before libcurl would send it a second time, on a new connection,
    /// since the one that it used again died without an answer. What changes something is sent once: nobody
    /// knows whether the engine has done it.
    static int on_send(void* self, char* local, char* remote, int local_port, int remote_port) noexcept;
    static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    void take_header(std::string_view line);
    void take_body(std::string_view piece);
    std::chrono::steady_clock::time_point next_look() const;

    struct ListFree {
        void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
    };

    struct FileClose {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    std::shared_ptr<CurlMulti> multi_;
    Endpoint endpoint_;
    HttpRequest request_; ///< libcurl points into its body.
    std::unique_ptr<curl_slist, ListFree> headers_;
    std::unique_ptr<std::FILE, FileClose> file_; ///< What is sent, where it is a file.
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    HttpResponse answer_;
    std::size_t head_bytes_ = 0;
    bool head_complete_ = false; ///< The last header line was the empty one.
    bool sent_ = false;
    bool died_ = false; ///< The connection, and the request was not sent again.
    std::chrono::steady_clock::time_point last_byte_;
    std::exception_ptr failure_; ///< Thrown in a callback, where it could not go further.
    CurlCompletion completion_;
    EasyHandle easy_; ///< Last, since it points into all of the above.
};

} // namespace runtime_api
