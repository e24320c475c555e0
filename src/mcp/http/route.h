#pragma once
#include <optional>
#include <string>

#include "src/mcp/http/message.h"

namespace mcp {

/// What a POST is, by its headers and its body. Pure.
struct HttpRoute {
    enum class Kind {
        modern,   ///< A request that carries its version; served by itself.
        opening,  ///< `initialize`: begins a session.
        session,  ///< A request, or a batch with one, of a session.
        delivery, ///< Notifications or answers of a session: for the requests that run in it.
        ignored,  ///< A modern notification: there is none that means anything over HTTP.
    };
    Kind kind = Kind::modern;
    std::string session_id{};
    std::optional<jsonrpc::Message> message{}; ///< Of a request that is no batch: it has been read.
};

/// Throws HttpRefused, status 400, with the JSON-RPC error that says why: no JSON, no message, a version that
/// we do not speak, headers that do not say what the body says, no session named.
HttpRoute route_post(const HttpMessage& message);

/// The value of Mcp-Name as the client meant it: "=?base64?…?=" decoded. Throws
/// jsonrpc::Error(header_mismatch) where it is malformed.
std::string header_text(const std::string& value);

/// The HTTP status that a modern request's error is sent with, where it was refused before it was looked at.
int status_of_refusal(int error_code);

} // namespace mcp
