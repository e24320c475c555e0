#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

#include "src/mcp/http/message.h"

namespace mcp {

/// Takes bytes and makes one request of them, bounded. For the next request, a new one. Knows no socket.
class HttpParser {
public:
    HttpParser(std::size_t most_head, std::size_t most_body);
    ~HttpParser();
    HttpParser(const HttpParser&) = delete;
    HttpParser& operator=(const HttpParser&) = delete;

    /// Takes what it can of the bytes and says how many; the rest must be given again, with more behind it.
    /// Throws HttpRefused: 400, 413 (body) or 431 (head); then this is of no more use.
    std::size_t feed(std::string_view bytes);

    bool head_done() const;
    bool done() const;
    /// The client waits for "100 Continue" before it sends the body. After head_done.
    bool expects_continue() const;
    std::size_t body_bytes() const;

    /// The request without its body. After head_done.
    HttpMessage head() const;
    /// All of it. After done, once.
    HttpMessage take();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mcp
