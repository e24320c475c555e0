#pragma once
#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_api/curl_multi.h"
#include "runtime_api/endpoint.h"
#include "runtime_api/error.h"

namespace runtime_api {

/// A bare connection to the endpoint (Unix socket, TCP or TLS) that libcurl makes and that we then read and
/// write ourselves. On the loop's thread only. Waiting operations hold it by shared_ptr.
class CurlConnection {
public:
    /// `scratch` is read into by all connections of the loop, one at a time; it must not be empty.
    CurlConnection(const boost::asio::any_io_executor& executor, Endpoint endpoint,
                   std::chrono::milliseconds connect_limit, std::shared_ptr<std::vector<char>> scratch);
    ~CurlConnection() { close(); }
    CurlConnection(const CurlConnection&) = delete;
    CurlConnection& operator=(const CurlConnection&) = delete;

    /// Waits until it is connected, which was begun with its construction. Before anything else; must outlive
    /// the wait. Throws Error.
    boost::asio::awaitable<void> connect();

    /// Waits for bytes; returns all that have come, up to the size of scratch, as a view into scratch that is
    /// good until the caller next suspends. Empty: the peer closed, or close() was called. Throws
    /// Error(unavailable), Error(cancelled).
    static boost::asio::awaitable<std::string_view> read(std::shared_ptr<CurlConnection> self);

    /// Writes all. Throws Error(unavailable), also when closed, and Error(cancelled).
    static boost::asio::awaitable<void> write(std::shared_ptr<CurlConnection> self, std::string data);

    /// Closes at once and wakes whoever waits. May be called twice.
    void close() noexcept;
    bool closed() const { return !easy_; }

    /// Could not connect, as connect() would say.
    bool failed() const { return connected_.done() && connected_.code() != CURLE_OK; }

private:
    Error failure(CURLcode code) const;
    boost::asio::awaitable<void> ready(boost::asio::posix::stream_descriptor::wait_type what);

    Endpoint endpoint_;
    std::shared_ptr<std::vector<char>> scratch_;
    std::shared_ptr<CurlMulti> multi_;
    CurlCompletion connected_;
    boost::asio::posix::stream_descriptor descriptor_; ///< A dup of libcurl's, to wait on.
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    EasyHandle easy_; ///< Empty: closed.
};

} // namespace runtime_api
