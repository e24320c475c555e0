#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime_api/http.h"

namespace runtime_api {

/// Reads the head of an HTTP/1 answer from bytes as they come. Interim answers (1xx but 101) are passed over.
/// Pure.
class HttpHeadReader {
public:
    /// Takes more bytes; returns the answer (without a body) once its head is complete, and never again.
    /// Throws Error(protocol) as soon as it cannot be HTTP, Error(too_large) beyond max_head_bytes.
    std::optional<HttpResponse> feed(std::string_view bytes);

    /// The bytes that came after the head; valid once feed() returned an answer.
    std::string rest() && { return std::move(buffer_); }

private:
    std::string buffer_;
    std::size_t passed_over_ = 0;
};

} // namespace runtime_api
