#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/mcp/http/message.h"

namespace mcp {

/// Who may speak to the HTTP server at all, decided on the head of a request, before its body is read. Pure.
///
/// A web page that the user looks at can send requests to a server on loopback, under a name that it made
/// point there (DNS rebinding). So the Host must be a loopback name, an address (which no name can be made to
/// look like), or one that was allowed; and an Origin, which only browsers send, must be one of those too,
/// addresses excepted.
class HttpGate {
public:
    struct Options {
        std::string path = "/mcp";
        std::string token{}; ///< What "Authorization: Bearer" must carry; empty: nobody is asked.
        std::vector<std::string> hosts{};   ///< Further host names, without port.
        std::vector<std::string> origins{}; ///< Further origins, whole: "https://example.com".
    };

    explicit HttpGate(Options options) : options_(std::move(options)) {}

    /// Throws HttpRefused: 403 for host and origin, 401, 404 for another path, 405, 406 for Accept, 415 for
    /// Content-Type. A target in absolute form ("http://host/mcp") names a host too: both must be known.
    void check(const HttpMessage& head) const;

private:
    void check_host(const HttpMessage& head) const;
    void check_origin(const HttpMessage& head) const;
    void check_token(const HttpMessage& head) const;
    bool known_name(std::string_view host) const;

    Options options_;
};

/// The name in "name:port" or "[::1]:port", in lower case; of an IPv6 address without its brackets. "" for
/// all else: a user before it, a port that is no number, characters that no name has. A dot at a name's end
/// stays, and makes it another name.
std::string host_of(std::string_view authority);
/// An IPv4 or IPv6 address, not a name.
bool is_address(const std::string& host);

/// A request target in its parts; `authority` is empty but in the absolute form. Of the path, a query and one
/// slash at its end are left out: "/mcp/?a" is "/mcp".
struct HttpTarget {
    std::string authority{};
    std::string path{};
};
HttpTarget target_of(std::string_view target);

/// What a client takes for an answer, by its Accept headers. Who names streams and JSON, as the protocol has
/// it, gets what suits the answer. Who names no streams ("application/json", "*/*", nothing at all) gets JSON
/// alone.
enum class HttpAnswer { none, json, stream, either };
HttpAnswer answer_for(const HttpMessage& head);

} // namespace mcp
