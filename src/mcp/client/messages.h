#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/jsonrpc/message.h"
#include "src/mcp/client/spec.h"

namespace mcp {

/// What the client role writes and reads, without the waiting. Pure.

/// How a request of ours is dressed: in `_meta` where the era or a wish for progress asks for it.
struct RequestDress {
    std::string modern_version{}; ///< Empty: legacy.
    std::optional<std::int64_t> progress_token{};
    bool elicits = false; ///< A person may be asked on behalf of it (modern; legacy says so once for all).
};

/// elicits: as in ClientSpec.
std::string initialize_params(bool elicits);
std::string list_params(const RequestDress& dress, const std::optional<std::string>& cursor);
/// What a server asks a person, by its own key: the params of `elicitation/create`.
using Questions = std::vector<std::pair<std::string, std::string>>;

/// What a server wants to see when it is asked again (2026-07-28): JSON texts, empty for what it did not ask
/// for.
struct NextRound {
    Questions questions{};   ///< To be answered by `responses`.
    std::string responses{}; ///< `inputResponses`
    std::string state{};     ///< `requestState`, untouched
};

/// arguments: JSON text of an object.
std::string call_params(const RequestDress& dress, std::string_view tool, std::string_view arguments,
                        const NextRound& round = {});
/// For a request that says nothing but who asks: server/discover.
std::string bare_params(const RequestDress& dress);
/// Asks to be told when the list of tools changes.
std::string listen_params(const RequestDress& dress);

/// What `initialize` was answered with. Throws jsonrpc::Error where it is not an answer or a version that we
/// do not speak.
ServerFacts read_initialize(std::string_view result);

/// What `server/discover` was answered with. Its era is legacy (and the rest empty) where the server names
/// only legacy versions. Throws jsonrpc::Error where it is not an answer, or no version in it is ours.
ServerFacts read_discover(std::string_view result);

/// The same from an unsupported_version error, which names the versions that there are.
ServerFacts read_unsupported(const jsonrpc::Error& error);

/// One page of tools/list.
struct ToolPage {
    std::vector<UpstreamTool> tools;
    std::vector<std::string> dropped; ///< A line for each tool that was left out, or kept though it is odd;
                                      ///< at most 50.
    std::optional<std::string> next_cursor;
};

/// A bad tool is dropped, the others are kept; one without a usable inputSchema takes anything.
/// A description of more than 64 KiB is cut. `with_headers`: header_params are read, and a tool that has them
/// wrong is dropped. No more than `most` tools are read. Throws jsonrpc::Error where it is no page at all.
ToolPage read_tools(std::string_view result, bool with_headers, std::size_t most = SIZE_MAX);

/// How to go on where the result of a modern call is a question, to a person; a state alone is sent back.
/// nullopt: it is no question. Throws jsonrpc::Error where it asks for anything else.
std::optional<NextRound> next_round(std::string_view result);

/// Throws jsonrpc::Error where the result of a call is none that we can use: not an object, or (modern) a
/// question or unknown.
void check_result(std::string_view result, bool modern);

struct ProgressReport {
    std::int64_t token = 0;
    double done = 0;
    std::optional<double> total;
    std::string message;
};

/// nullopt where it is none of ours.
std::optional<ProgressReport> read_progress(std::string_view params);

} // namespace mcp
