#pragma once
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_api/attach_stream.h"

namespace runtime_api {

/// One request to an engine. The target is the path and query, percent-encoded already.
struct HttpRequest {
    std::string method = "GET";
    std::string target;
    std::string body{};
    std::string body_file{}; ///< Where it is not empty: a file whose content is sent instead of body.
    std::string content_type = "application/json"; ///< Of body; sent with POST and PUT only.
    std::vector<std::string> headers{};            ///< More of them, "Name: value"; no line breaks.

    /// For the whole exchange, from connect to the last byte. Zero: no limit but `silence`.
    std::chrono::milliseconds limit{10'000};
    /// The longest time without a byte of the answer. Zero: no such limit.
    std::chrono::milliseconds silence{0};
    /// The largest answer that is collected; a longer one is Error(too_large). With a sink only error bodies
    /// are collected.
    std::size_t max_body = std::size_t{32} << 20;

    /// Takes the body piece by piece as it comes, if the status is 2xx; the response's body is then empty.
    /// What it throws ends the exchange and is thrown by send().
    std::function<void(std::string_view)> sink{};

    /// An upgrade follows if this one is well answered: its connection is made meanwhile.
    bool stream_follows = false;
};

struct HttpResponse {
    int status = 0;
    std::map<std::string, std::string> headers{}; ///< Names in lower case; of repeated ones the last.
    std::string body{};
};

/// What became of a request to take the connection over.
struct Upgraded {
    HttpResponse answer{};                  ///< The body is there only if the engine refused.
    std::unique_ptr<AttachStream> stream{}; ///< Empty if it refused.
};

/// The seam between the engines' dialects and the network; tests put a fake here. On the loop's thread only.
/// Every status is an answer, not an error. Throws runtime_api::Error: unavailable, timed_out, cancelled,
/// protocol, too_large. Destroying a waiting call, or cancelling it (terminal), closes its connection.
class Http {
public:
    virtual ~Http() = default;

    virtual boost::asio::awaitable<HttpResponse> send(HttpRequest request) = 0;

    /// Sends the request, which must have no body, and waits (up to its limit) for the answer's head. On 101
    /// or 200 the connection becomes a stream of frames, to which the limit no longer applies.
    virtual boost::asio::awaitable<Upgraded> upgrade(HttpRequest request) = 0;
};

/// The most bytes of head (status line and headers) that an answer may have.
inline constexpr std::size_t max_head_bytes = 64 << 10;

} // namespace runtime_api
