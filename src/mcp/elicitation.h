#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mcp {

/// Asks a person for an upstream server: the params of `elicitation/create` in, its result out, both JSON
/// text. Throws jsonrpc::Error where nobody answered. Cancellable (terminal).
using AskPerson = std::function<boost::asio::awaitable<std::string>(std::string params)>;

/// Whom a call's server may ask while the call runs.
struct Asker {
    std::string
        who{};       ///< The client behind it. Calls of one and the same may be asked in each other's place.
    AskPerson ask{}; ///< Empty: nobody.
};

/// Questions of upstream servers to a person (`elicitation/create`, forms), on their way to our own client,
/// and the answers back. Pure.
namespace elicitation {

inline constexpr std::size_t most_bytes = std::size_t{64} << 10; ///< Of a question, and of an answer.
inline constexpr int most_depth = 12;                            ///< A form is flat; its choices lie deeper.
inline constexpr std::size_t most_questions = 16;                ///< In one call.

inline constexpr std::string_view nobody = R"({"action":"cancel"})"; ///< Nobody answered.

/// A client that declared these capabilities (a JSON object) shows forms.
bool declared(std::string_view capabilities);

/// What our client is asked: the server's message and form, and whose question it is. Throws jsonrpc::Error
/// or json::Error for one that is malformed, too large, or asks for more than a form.
std::string question(const std::string& server, std::string_view params);

/// What the server is told: the action and, where the person accepted, the content. Throws jsonrpc::Error or
/// json::Error where the client's result is none.
std::string answer(std::string_view result);

} // namespace elicitation
} // namespace mcp
