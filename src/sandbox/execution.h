#pragma once
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/shown.h"
#include "src/jsonrpc/message.h"

namespace sandbox {

/// One execution as it is sent to the guest (src/guest/README.md, execute).
struct Execution {
    std::string code;
    std::chrono::milliseconds timeout{30'000};
    std::string servers = "[]";             ///< JSON array of {name, alias, description}.
    std::vector<std::string> argv{};        ///< sys.argv; empty: ["<run_python>"].
    std::vector<std::string> saved_tools{}; ///< Names that `mcp.tools` offers.
    std::int64_t head = 20'000;             ///< Characters kept of each stream's beginning …
    std::int64_t tail = 10'000;             ///< … and end.
    bool keep_output = true; ///< Else it goes to GuestHost::output alone, and the outcome holds none.
    bool session = false;    ///< The interpreter lives on.
    bool figures = true;
};

/// What was kept of an output stream: what came first, what came last, and how much lay between.
struct Output {
    std::string head; ///< Valid UTF-8.
    std::string tail;
    std::int64_t omitted_bytes = 0;
    std::int64_t total_bytes = 0;
};

/// What the process that ran the code says of its end. The code may be that process: nobody else saw it.
struct Claimed {
    std::vector<std::string> limits{}; ///< That its exceptions spoke of, as in Outcome::limits.
    std::vector<base::Shown> notes{};
    std::vector<std::string> imports{}; ///< Modules of the image that its statements imported.
};

enum class Status { success, error, timeout, out_of_memory, killed };

/// How an execution ended.
struct Outcome {
    Status status = Status::error;
    std::optional<int> exit_code{};
    std::optional<int> signal{};
    std::string error{}; ///< "ValueError: x", by the code's own word where there is an exit code; else ours.
    std::optional<std::string> value{}; ///< repr of the last expression, by the code's own word.
    Output out{};
    Output err{};
    std::int64_t duration_ms = 0;
    std::int64_t cpu_ms = 0;
    std::int64_t peak_memory_bytes = 0;
    /// Those that were hit, as the guest's supervisor or we have seen it: memory, processes, time, disk.
    std::vector<std::string> limits{};
    std::vector<base::Shown> notes{}; ///< The supervisor's and ours.
    Claimed claimed{};
    std::int64_t tool_calls = 0;
    bool alive = false; ///< The interpreter takes another execution.
    bool begun = true;  ///< False: nothing was run, since a session's interpreter had ended before.
};

/// The outcome in the JSON text of the guest's answer. Unknown members are ignored; throws json::Error where
/// it is not one.
Outcome read_outcome(std::string_view result);

/// The JSON text of `execute`'s params.
std::string write_execution(const Execution& execution);

/// What code can ask of the host while it runs, and what it shows. Implemented by bridge; called on the
/// loop's thread. The guest is not trusted: names and texts are what code in the container chose.
class GuestHost {
public:
    virtual ~GuestHost() = default;
    /// Answers a request (`call_tool`, `list_tools`, …) with the JSON text of its result; throws
    /// jsonrpc::Error.
    virtual boost::asio::awaitable<std::string> request(jsonrpc::Message message) = 0;
    virtual void output(bool is_err, std::string_view text) = 0; ///< As it comes, within `head`.
    virtual void tick(std::string line) = 0; ///< The last line so far, beyond `head`; at most one a second.
    virtual void progress(double done, std::optional<double> total, std::string message) = 0;
    virtual void display(std::string mime_type, std::string data, bool is_base64) = 0;
    /// The code is at its end, however it came: what it asked and still waits for is cancelled after this.
    virtual void ending() {}
    virtual void spent(std::chrono::nanoseconds host_cpu) = 0; ///< What the guest has cost the host so far.
    virtual void artifact(std::string name, std::optional<std::string> base64, std::string skipped) = 0;
};

} // namespace sandbox
