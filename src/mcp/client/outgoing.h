#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "src/jsonrpc/message.h"
#include "src/mcp/client/spec.h"
#include "src/mcp/client/web.h"

namespace mcp {

/// What HTTP needs to know of a message of ours. Pure.
struct Outgoing {
    std::string line;   ///< The whole of it.
    std::string id;     ///< JSON text; empty for a notification.
    std::string method; ///< Empty for an answer to the server.
    std::string name;   ///< What it is about: a tool, a prompt, the URI of a resource.
    bool asks() const { return !id.empty() && !method.empty(); }
};

/// Takes a line apart that we wrote ourselves.
Outgoing take_outgoing(std::string line);

/// The arguments of a tools/call in our line, or "null".
std::string_view arguments_in(const Outgoing& out);

/// What an answer other than 2xx means, with the status in `data` ({"httpStatus":404}) unless the server sent
/// data of its own. An error of JSON-RPC in the body is an answer, and in it; any other body is not: see
/// http_words.
jsonrpc::Error http_error(const WebAnswer& answer, const std::string& url, bool had_session);

/// The body of such an answer, its first 2,000 bytes, where it is no error of JSON-RPC: a page for people. It
/// may hold what the server was given, so it goes to the user and not to code.
std::string http_words(const WebAnswer& answer);

/// Tells the sink, if there is one, such a body, if it is not empty.
void tell_words(const WebAnswer& answer, const std::function<void(const std::string&)>& sink);

/// What stands behind an error, where the server's own words were kept from it.
inline constexpr const char* words_are_elsewhere =
    "; what it wrote is for the user: see Cordon's log, or `cordon servers`";

/// Whether text (JSON of any size) is the answer to the request with this id.
bool answers(std::string_view text, const std::string& id);

/// True where the error says that the session is no more.
bool says_session_lost(const jsonrpc::Error& error);

/// "application/json" of "application/json; charset=utf-8".
std::string media_type(const WebRequest::Head& head);

} // namespace mcp
