#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// One request to an upstream server.
struct WebRequest {
    std::string method = "POST";
    std::string url;
    std::vector<std::string> headers{}; ///< "Name: value", no line breaks.
    std::string body{};
    std::chrono::milliseconds limit{0}; ///< For the whole exchange; zero: none, the caller bounds it.
    std::size_t most_body = std::size_t{1} << 20; ///< Of an answer that no sink takes.

    struct Head {
        int status = 0;
        std::map<std::string, std::string> headers{}; ///< Names in lower case.
    };
    using Sink = std::function<void(std::string_view)>;
    /// Asked when the answer's head is there: gives what takes the body as it comes, or nothing: then it is
    /// collected. Neither may resume anyone; what they throw ends the exchange and is thrown by send().
    std::function<Sink(const Head&)> choose_sink{};
};

struct WebAnswer {
    WebRequest::Head head{};
    std::string body{};
    std::string redirect{}; ///< Where the server sends us, as a whole URL; redirects are not followed.
};

/// Requests over HTTP on the loop, through the proxies of the environment. On the loop's thread.
class WebClient {
public:
    explicit WebClient(boost::asio::any_io_executor executor);
    ~WebClient();
    WebClient(const WebClient&) = delete;
    WebClient& operator=(const WebClient&) = delete;

    /// Every status is an answer. Throws jsonrpc::Error: connection_closed ("POST https://host/mcp:
    /// connection refused"), timed_out, too_large, cancelled. Cancelling (terminal) or destroying it closes
    /// its connection.
    boost::asio::awaitable<WebAnswer> send(WebRequest request);

private:
    class Exchange;
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

/// A URL fit for a message: without query, which may hold a secret, and user.
std::string shown_url(const std::string& url);

/// The scheme, host and port of a URL, in lower case: what must not change behind a redirect or an endpoint.
std::string origin_of(const std::string& url);

/// A reference as a base URL's server means it: "/x?y", "x" or a whole URL.
std::string resolved_url(const std::string& base, const std::string& reference);

} // namespace mcp
