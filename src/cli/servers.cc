#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>

#include "runtime_api/json.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/run_loop.h"
#include "src/cli/shown.h"
#include "src/cli/start_servers.h"
#include "src/mcp/versions.h"

namespace cli {
namespace asio = boost::asio;

namespace {

const char* era_of(const std::string& version) {
    if (version.empty()) return "";
    return mcp::is_modern_version(version) ? "modern" : "legacy";
}

std::string as_json(App& app) {
    json::Writer w;
    w.object().key("servers").array();
    for (const bridge::CatalogueServer& s : app.catalogue().servers()) {
        w.object()
            .field("name", s.name)
            .field("alias", s.alias)
            .field("source", s.source)
            .field("transport", s.transport);
        w.field("usable", s.usable)
            .field("state", s.state)
            .field("era", era_of(s.version))
            .field("version", s.version)
            .field("reason", s.reason)
            .key("tools")
            .array();
        if (const auto tools = app.catalogue().known_tools(s.name))
            for (const bridge::CatalogueTool& tool : *tools)
                w.object().field("name", tool.name).field("alias", tool.alias).end();
        w.end().field("warnings", app.catalogue().warnings(s.name)).end();
    }
    w.end()
        .field("faults", app.catalogue().faults())
        .field("notes", app.catalogue().configuration_notes())
        .field("reach", app.catalogue().reach());
    return w.end().take() + "\n";
}

std::string as_text(App& app) {
    std::string out;
    for (const bridge::CatalogueServer& s : app.catalogue().servers()) {
        out += shown(s.name) + " (mcp_" + s.alias + "): " + s.state + ", " + s.transport;
        if (!s.version.empty()) out += std::string(", ") + era_of(s.version) + " era, protocol " + s.version;
        out += "\n  from " + shown(s.source) + '\n';
        if (!s.description.empty()) out += "  " + shown(s.description) + '\n';
        if (!s.reason.empty()) out += "  why: " + shown(s.reason) + '\n';
        if (const auto tools = app.catalogue().known_tools(s.name)) {
            out += "  " + std::to_string(tools->size()) + " tools:";
            for (const bridge::CatalogueTool& tool : *tools) out += ' ' + shown(tool.name);
            out += '\n';
        }
        for (const std::string& warning : app.catalogue().warnings(s.name))
            out += "  odd: " + shown(warning) + '\n';
    }
    for (const std::string& fault : app.catalogue().faults()) out += "FAULT " + shown(fault) + '\n';
    for (const std::string& reach : app.catalogue().reach()) out += "REACH " + shown(reach) + '\n';
    for (const std::string& note : app.catalogue().configuration_notes())
        out += "note: " + shown(note) + '\n';
    return out.empty() ? "no upstream servers are configured: put {\"mcpServers\": {…}} into ~/MCPs/*.json, "
                         "or ~/.config/mcp/servers/*.json, or name a file with MCP_SERVERS_CONFIG\n"
                       : out;
}

asio::awaitable<int> list(App* app, bool json) {
    const bool started = co_await start_servers(app, std::chrono::hours(1)); // each has a limit of its own
    std::fputs((json ? as_json(*app) : as_text(*app)).c_str(), stdout);
    co_await app->shut_down();
    const bool faulty = !started || !app->catalogue().faults().empty();
    co_return faulty ? 1 : 0;
}

} // namespace

int servers(const Options& options) {
    if (options.action == "accept") return accept_servers(options);
    asio::io_context loop(1);
    App app(loop, options.settings, own_environment());
    return run_to_end(loop, list(&app, options.json));
}

} // namespace cli
