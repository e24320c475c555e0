#pragma once
#include <stdexcept>
#include <string>

namespace runtime_api {

/// What went wrong, as far as a caller can act on it.
enum class Errc {
    unavailable,  ///< The engine could not be reached (no socket, refused, TLS failure).
    not_found,    ///< The named container or image does not exist.
    conflict,     ///< The object is in the wrong state for this call, or the name is taken.
    rejected,     ///< The engine refused the request as invalid (other HTTP 4xx).
    engine_fault, ///< The engine failed (HTTP 5xx).
    protocol,     ///< The engine's answer could not be understood.
    timed_out,    ///< The deadline passed first.
    cancelled,    ///< The caller gave up first.
    too_large,    ///< The answer exceeded the size the caller allowed.
    bad_endpoint, ///< The URL of the engine is not one, or one that may not be used.
};

/// The only exception that runtime_api throws on purpose. what() says what was attempted and
/// the other side's words: "create container: HTTP 404: no such image: alpine".
class Error : public std::runtime_error {
public:
    Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
    Errc code() const noexcept { return code_; }

private:
    Errc code_;
};

} // namespace runtime_api
