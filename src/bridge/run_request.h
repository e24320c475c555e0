#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "src/mcp/elicitation.h"

namespace bridge {

/// Arguments of run_python that cannot be used; what() is fit for the model that wrote them.
class BadArguments : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The most code that is accepted.
inline constexpr std::size_t most_code_bytes = 8u << 20;

/// One call of run_python, checked.
struct RunRequest {
    std::string code;
    std::optional<std::vector<std::string>> servers{}; ///< As the caller named them; nothing: none named.
    std::chrono::milliseconds timeout{30'000};
    std::chrono::seconds max_timeout{0}; ///< The most that it could have asked for; 0: not known.
    std::vector<std::string> argv{};     ///< What sys.argv is; empty: the usual.
    std::string session{};               ///< Empty: an interpreter of its own.
    std::vector<std::string> notes{};    ///< What the result must say: "timeout was cut to 120 s".
    std::string client{};                ///< Who calls, as in mcp::CallContext.
    std::string client_name{};           ///< What it calls itself; for people, never for trust.

    // What the caller wants to see while it runs; each may be empty.
    std::function<void(bool is_err, std::string_view text)> on_output{};
    std::function<void(double done, std::optional<double> total, std::string message)> on_progress{};
    mcp::AskPerson ask{};    ///< For what upstream servers ask a person.
    bool stream_all = false; ///< All output goes to on_output; nothing of it is kept.
};

struct RunLimits {
    std::chrono::seconds timeout{30};
    std::chrono::seconds max_timeout{120};
};

/// Reads the tool's arguments (JSON text of an object). Throws BadArguments.
///
/// Models fill in something for what they leave out. What can only mean "nothing given" is taken so: null,
/// "", "null", "none", "undefined", "nil", "n/a", {}, 0, false; [] for `timeout` and `session`; for `servers`
/// a list of such words alone. But `servers: []` is a real choice, no server at all: it narrows what code may
/// do, and a guess must never widen it. Code that wants a server then is told to leave `servers` out.
///
/// `servers` may be an array written as a string, or one name; `timeout` a number in a string ("60", "60 s");
/// a negative one is no time, so the default holds, with a note. Unknown arguments are ignored, with a note
/// that has the nearest name; those that begin with "_" without.
RunRequest read_arguments(std::string_view arguments, const RunLimits& limits);

/// A time in seconds, within the limits; cut to the maximum with a note. Throws BadArguments below 1.
void set_timeout(RunRequest& request, double seconds, const RunLimits& limits);

} // namespace bridge
