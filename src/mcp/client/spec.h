#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/jsonrpc/keeper.h"
#include "src/mcp/elicitation.h"
#include "src/mcp/versions.h"

namespace mcp {

/// An upstream server: how to reach it and how long to wait for it.
struct ClientSpec {
    enum class Transport {
        stdio,      ///< A child of ours; `launch`.
        http,       ///< Streamable HTTP at `url`.
        sse,        ///< HTTP+SSE of 2024-11-05 at `url`.
        http_or_sse ///< Streamable HTTP, else HTTP+SSE.
    };
    enum class Protocol { automatic, legacy, modern };

    std::string name; ///< For messages.
    Transport transport = Transport::stdio;
    jsonrpc::Launch launch{};
    std::string url{};
    std::vector<std::string> headers{}; ///< "Name: value", sent with each request; never logged.
    Protocol protocol = Protocol::automatic;
    bool elicits = false; ///< A legacy server is told that it may ask a person (see CallOptions::asker).
    std::chrono::milliseconds start_timeout{60'000};  ///< From the start to its list of tools.
    std::chrono::milliseconds call_timeout{300'000};  ///< For one call; progress does not extend it.
    std::size_t most_message = std::size_t{64} << 20; ///< Bytes; a larger answer fails its call only.
};

/// What a server said of itself.
struct ServerFacts {
    Era era = Era::legacy;
    std::string version; ///< Of the protocol.
    std::string name;
    std::string server_version;
    std::string instructions;
    bool tools = false;        ///< It has some.
    bool tools_change = false; ///< And tells when they do.
};

/// An argument of a tool that is sent as a header as well (2026-07-28, HTTP).
struct HeaderParam {
    std::vector<std::string> path; ///< "a", "b": arguments.a.b
    std::string header;            ///< "Mcp-Param-Region"
};

/// A tool of an upstream server. The JSON texts have been checked.
struct UpstreamTool {
    std::string name; ///< As the server calls it: anything but empty.
    std::string title{};
    std::string description{};
    std::string input_schema{};  ///< JSON object.
    std::string output_schema{}; ///< JSON object, or empty.
    std::string annotations{};   ///< JSON object, or empty. Hints; not to be trusted.
    bool needs_task = false;     ///< It can only be run as a task (2025-11-25), which we do not do.
    std::vector<HeaderParam> header_params{};
};

struct CallOptions {
    std::chrono::milliseconds limit{0}; ///< Zero: the server's call_timeout.
    /// How far the server says it is. Must not throw.
    std::function<void(double done, std::optional<double> total, std::string message)> on_progress{};
    Asker asker{}; ///< Whom the server may ask; nobody: what it asks a person is answered with "cancel".
};

} // namespace mcp
