#pragma once
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/budget.h"
#include "src/base/json_repair.h"

namespace jsonrpc {

/// Error codes of JSON-RPC 2.0 and of MCP that are used across floors.
namespace code {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
/// Ours, for calls that got no answer.
inline constexpr int connection_closed = -32000;
inline constexpr int timed_out = -32001;
inline constexpr int cancelled =
    -32800; // not -32002, which legacy servers send for a resource that is not there
inline constexpr int too_large = -32003;
} // namespace code

/// A JSON-RPC error, thrown by handlers to answer with it and by Peer::call where the other side answered
/// with one.
class Error : public std::runtime_error {
public:
    /// data: JSON text, or empty.
    Error(int code, const std::string& message, std::string data = {})
        : std::runtime_error(message), code_(code), data_(std::move(data)) {}
    int code() const noexcept { return code_; }
    const std::string& data() const noexcept { return data_; }

private:
    int code_;
    std::string data_;
};

/// How a message of an upstream server is taken: as ordinary parsers take it, where its meaning is plain.
struct Lenience {
    bool lists_tools = false; ///< A tool that cannot be read is left out of an answer to tools/list.
    std::string id{};         ///< Of an answer that cannot be read: its id, where it can be made out.
};

/// One message, still in the text that it came in, so that a large one is never copied or parsed into a tree.
/// Movable; the views that it gives live as long as it does and stays where it is.
class Message {
public:
    enum class Kind { request, notification, result, error };

    /// Takes one JSON object apart. Throws Error(parse_error) or Error(invalid_request) whose message says
    /// what is wrong; the id, where it could be read, is then in `id_of`.
    static Message parse(std::string text);

    /// The same, from a peer that is met with lenience: JSON that only ordinary parsers take
    /// (json::repair), an answer without "jsonrpc", an id of 1.0, a result and an error of which one is null.
    /// What was got over is then in mended(), what was left out in left_out(). Where it throws,
    /// `lenience.id` says which call of ours waits for it.
    static Message parse_leniently(std::string text, Lenience& lenience);

    Kind kind() const { return kind_; }
    /// The id as JSON text ("7", "\"a\"", "null"), so that 1 and "1" differ; empty for a notification.
    const std::string& id() const { return id_; }
    const std::string& method() const { return method_; }
    /// JSON text of params, "{}" where there are none; of a result; of an error object.
    std::string_view params() const { return body(); }
    std::string_view result() const { return body(); }
    std::string_view error() const { return body(); }
    /// The result for Python, which knows NaN and infinite numbers; in result() they are null.
    std::string python_result() const {
        return json::with_not_finite(body(), body_begin_, repairs_.not_finite);
    }
    /// What was not as it should be, each kind once: "repeated keys: the last counts".
    const std::vector<std::string>& mended() const { return repairs_.what; }
    const std::vector<std::string>& left_out() const { return left_out_; }
    void add_mended(const std::vector<std::string>& more) {
        repairs_.what.insert(repairs_.what.end(), more.begin(), more.end());
    }
    std::size_t size() const { return text_.size(); }
    /// It came in an array with others.
    bool batched() const { return batched_; }
    void set_batched(bool batched) { batched_ = batched; }
    /// Counts its bytes in the budget of whoever sent it, as long as it lives.
    void hold(base::Budget::Share share) { share_ = std::move(share); }
    /// Frees the text, after all that is wanted of it was copied; what it holds of a budget is then the
    /// caller's.
    base::Budget::Share free_text() {
        std::string().swap(text_); // an assignment would keep its memory
        body_begin_ = body_size_ = 0;
        return std::move(share_);
    }
    /// CPU time that reading it took, for whoever has to answer for it.
    std::chrono::nanoseconds cost() const { return cost_; }
    void set_cost(std::chrono::nanoseconds cost) { cost_ = cost; }

private:
    std::string_view body() const { return std::string_view(text_).substr(body_begin_, body_size_); }

    friend struct MessageReader;

    std::string text_;
    Kind kind_ = Kind::notification;
    std::string id_;
    std::string method_;
    std::size_t body_begin_ = 0;
    std::size_t body_size_ = 0;
    bool batched_ = false;
    json::Repairs repairs_{};
    std::vector<std::string> left_out_{};
    base::Budget::Share share_{};
    std::chrono::nanoseconds cost_{0};
};

/// The id of a message that is no valid one, as JSON text, or "null"; for the answer that says so.
std::string id_of(std::string_view text);

/// True where the text is a JSON array: a batch (2025-03-26).
bool is_batch(std::string_view text);
/// The messages of a batch, as texts. Throws Error(parse_error), or Error(invalid_request) where it is empty
/// or has more than `most`. mended: what json::repair mends is taken, and what that was is added to it.
std::vector<std::string> split_batch(const std::string& text, std::size_t most,
                                     std::vector<std::string>* mended = nullptr);

/// Messages as lines, without the newline. params, result and data are JSON text; empty params are left out,
/// and so is the id of an error that is "null", since MCP's schemas know no null there.
std::string request_line(std::int64_t id, std::string_view method, std::string_view params);
std::string notification_line(std::string_view method, std::string_view params);
std::string result_line(std::string_view id, std::string_view result);
std::string error_line(std::string_view id, const Error& error);

/// The Error in the text of an error object; one that is malformed gives internal_error and says so.
Error read_error(std::string_view error_object);

} // namespace jsonrpc
