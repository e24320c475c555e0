#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/mcp/elicitation.h"

namespace mcp {

/// A tool as tools/list shows it. The JSON texts are written by us and valid.
struct Tool {
    std::string name;
    std::string title{};
    std::string description{};
    std::string input_schema{};  ///< JSON object.
    std::string output_schema{}; ///< JSON object, or empty.
    std::string annotations{};   ///< JSON object, or empty.
    std::string meta{};          ///< JSON object, or empty.
};

/// A resource as resources/list shows it.
struct Resource {
    std::string uri;
    std::string name;
    std::string title{};
    std::string description{};
    std::string mime_type{};
    std::optional<std::int64_t> size_bytes{};
};

/// What resources/read gives: text, or bytes (sent as base64).
struct ResourceContent {
    std::string uri;
    std::string mime_type{};
    bool binary = false;
    std::string data{};
};

/// Who calls, and how to tell it how far the call is.
struct CallContext {
    /// One connection (stdio) or one session (legacy HTTP). Empty: one that nothing tells from others, since
    /// a modern request over HTTP says nothing of its sender that another could not say too.
    std::string client;
    /// What it calls itself, where it does: for what some are known to do, never for trust.
    std::string client_name{};
    /// Sends notifications/progress if the client asked for it; else does nothing. Values that do not rise
    /// are made to.
    std::function<void(double done, std::optional<double> total, std::string message)> progress{};
    bool wants_progress = false;
    AskPerson ask{}; ///< Shows the person at the client a form; empty where the client shows none.
};

/// What a server offers: implemented by the floor above, called by mcp::Server. On the loop's thread.
/// Coroutines are cancelled (terminal) when the client cancels or goes.
class Service {
public:
    virtual ~Service() = default;

    virtual std::string instructions() = 0;
    /// The same order each time, the same for every client.
    virtual std::vector<Tool> tools() = 0;

    /// Runs a tool; `arguments` is the JSON text of an object. Gives the JSON text of a CallToolResult
    /// without era-specific members (content, isError, structuredContent, _meta). Throws
    /// jsonrpc::Error(invalid_params) for an unknown tool.
    virtual boost::asio::awaitable<std::string> call_tool(CallContext context, std::string name,
                                                          std::string arguments) = 0;

    /// What this client may read, as far as it may be told: one that is not told from others is shown what
    /// all may read.
    virtual std::vector<Resource> resources(const std::string& client) = 0;
    /// nullopt: there is no such resource for this client.
    virtual boost::asio::awaitable<std::optional<ResourceContent>> read_resource(std::string client,
                                                                                 std::string uri) = 0;

    /// A client has introduced itself: its first call may come soon.
    virtual void client_came() {}

    /// The client has gone: what belongs to it can be let go.
    virtual void client_gone(const std::string& client) = 0;
};

} // namespace mcp
