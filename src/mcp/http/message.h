#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/jsonrpc/message.h"

namespace mcp {

/// A request as it came. Pure data.
struct HttpMessage {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers{}; ///< Names in lower case.
    std::string body{};
    std::string peer{};           ///< The connection that it came by: "192.0.2.7:40123". Empty: unknown.
    std::shared_ptr<void> held{}; ///< What counts the body's bytes while it waits to be served.
    bool keep_alive = true;
    bool chunks = true; ///< The client understands chunked answers (HTTP/1.1).

    /// The value of a header, "" where it is not there. Throws HttpRefused(400) where it is there more than
    /// once: two readers might take different ones.
    std::string header(std::string_view name) const;
    bool has(std::string_view name) const;
    /// All values of a header that may be repeated, joined by commas.
    std::string joined(std::string_view name) const;
};

struct HttpReply {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
};

/// A request is not served; `reply` says why. The one way in which the parts of the HTTP server refuse.
class HttpRefused : public std::exception {
public:
    explicit HttpRefused(HttpReply reply) : reply_(std::move(reply)) {}
    const HttpReply& reply() const noexcept { return reply_; }
    const char* what() const noexcept override { return reply_.body.c_str(); }

private:
    HttpReply reply_;
};

/// A reply whose body is a JSON-RPC error; id: JSON text, or empty.
HttpReply error_reply(int status, const jsonrpc::Error& error, std::string_view id = {});
/// The same with invalid_request and a sentence.
HttpReply error_reply(int status, const std::string& message);

/// The bytes of a whole reply.
std::string reply_bytes(const HttpReply& reply, bool keep_alive);
/// The bytes of the head of an answer whose end is not known yet: in chunks, or until the connection closes.
std::string stream_head(const std::vector<std::pair<std::string, std::string>>& headers, bool chunks);
std::string chunk(std::string_view piece);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// One server-sent event that carries a message; the message is one line.
std::string event_text(std::string_view line);
inline constexpr std::string_view keep_alive_comment = ": keepalive\n\n";

} // namespace mcp
