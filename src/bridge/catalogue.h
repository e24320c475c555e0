#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/workers.h"
#include "src/bridge/secrets.h"
#include "src/jsonrpc/message.h"
#include "src/mcp/client/spec.h"

namespace bridge {

/// A tool of an upstream server. The JSON texts are the server's, checked to be JSON; hostile otherwise.
struct CatalogueTool {
    std::string name;  ///< On the wire.
    std::string alias; ///< In Python.
    std::string description{};
    std::string input_schema{};  ///< JSON object.
    std::string output_schema{}; ///< JSON object, or empty.
    std::string annotations{};   ///< JSON object, or empty.
};

/// An upstream server as it is configured and as it stands.
struct CatalogueServer {
    std::string name;
    std::string alias;
    std::string description{};
    std::string cwd{};
    std::string source{};    ///< The file that names it.
    std::string transport{}; ///< "stdio", "http", "sse"
    bool usable = true;
    bool disabled = false; ///< Not usable, since its entry says so.
    bool waiting = false;  ///< Not usable, until the user has accepted it.
    /// "not started", "starting", "ready", "failed", "disabled", "not accepted", "unusable"
    std::string state{};
    std::string reason{};  ///< Why it cannot be used, or why it failed last.
    std::string words{};   ///< What it wrote when it failed. For the user alone, never for code.
    std::string version{}; ///< Protocol version, once started.
    std::optional<std::size_t> tools{};
};

/// A server as the configuration gives it.
struct CatalogueEntry {
    CatalogueServer about; ///< usable false: never started, `reason` says why.
    mcp::ClientSpec spec{};
};

/// All that the configuration gives.
struct CatalogueConfiguration {
    std::vector<CatalogueEntry> entries{};
    std::vector<std::string> problems{}; ///< Of files, with the place.
    std::vector<std::string>
        troubles{};                   ///< Of entries that could not be started as things are; with the place.
    std::vector<std::string> notes{}; ///< What breaks nothing: keys and names without effect.
    std::vector<std::string> reach{}; ///< Which servers could change what Cordon starts.
    std::vector<Secrets::Server> given{}; ///< What the entries give their servers; see Secrets.
};

/// The user's other MCP servers: configured at start, started on first use, kept warm, started again after
/// they died (with back-off). On the loop's thread; `workers` read large answers, and outlive it.
class Catalogue {
public:
    Catalogue(boost::asio::any_io_executor executor, std::vector<CatalogueEntry> entries,
              std::function<void(const std::string&)> log, base::Workers* workers = nullptr);
    /// The same, with what is wrong with the configuration.
    Catalogue(boost::asio::any_io_executor executor, CatalogueConfiguration configuration,
              std::function<void(const std::string&)> log, base::Workers* workers = nullptr);
    ~Catalogue();
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    /// Where the own words of servers go that fail (mcp::Client::Options::on_words), a line for the log each.
    /// Must not throw.
    void words_to(std::function<void(const std::string&)> sink);

    /// All configured ones, in the order of the files.
    std::vector<CatalogueServer> servers() const;

    /// What is wrong with the configuration, a line each, with file and line: problems of
    /// files, then entries that cannot be used, then those that could not be started. Not those that are
    /// disabled by their own entry.
    std::vector<std::string> faults() const;
    /// Of the configuration as well, but nothing is broken by it.
    const std::vector<std::string>& configuration_notes() const;
    /// Which servers could change what Cordon takes commands from, and what follows from it: a line each.
    const std::vector<std::string>& reach() const;
    /// The problems of files alone.
    const std::vector<std::string>& configuration_problems() const;

    /// The configured name for a name or alias; nullopt: there is none.
    std::optional<std::string> find(const std::string& name_or_alias) const;

    /// True where using it now means to start it first: then the clock of a run stops meanwhile.
    bool needs_start(const std::string& server) const;

    using Tools = std::shared_ptr<const std::vector<CatalogueTool>>;

    /// The tools of a server, which is started if it is not running (many callers share one start). Throws
    /// jsonrpc::Error with data.kind "upstream" where it cannot be had.
    /// Cancellable (terminal): the start goes on. may_ask: a server that is started for it is told that it
    /// may ask a person, which it is then told once for its whole life (legacy).
    boost::asio::awaitable<Tools> tools(std::string server, bool may_ask = false);

    /// What is held while a call waits for a server that is started again.
    using WhileStarting = std::function<std::shared_ptr<void>()>;

    /// Calls a tool by its wire name: gives the server's answer, whose result is a CallToolResult. Throws
    /// jsonrpc::Error. Cancellable (terminal): the server is told. `options` may be as they are by default; a
    /// limit in them is cut to the server's own. A stdio server that ended before it read a byte of the call
    /// is started again and gets it then: once, and again as long as each of its lives answers some call. A
    /// call of which it had read anything is never sent twice.
    boost::asio::awaitable<jsonrpc::Message> call(std::string server, std::string tool, std::string arguments,
                                                  mcp::CallOptions options, WhileStarting starting = {});

    /// Counts up whenever the tools of any server have changed (a start, list_changed): for indexes made from
    /// them.
    std::uint64_t generation() const;
    /// The tools that are known now, without starting anything; null where the server was never started.
    Tools known_tools(const std::string& server) const;

    /// What was odd with a server in its present life and got over, a line each, at most 50: tools that were
    /// left out, messages that had to be mended (mcp::Client::warnings).
    const std::vector<std::string>& warnings(const std::string& server) const;

    /// Stops all servers: end of stdin, SIGTERM, SIGKILL, within `limit`.
    boost::asio::awaitable<void> stop(std::chrono::milliseconds limit);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace bridge
