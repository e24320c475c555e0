#include <boost/asio/io_context.hpp>
#include <chrono>

#include "src/base/json.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/cli/start_servers.h"
#include "src/mcp/versions.h"

namespace cli {
namespace asio = boost::asio;

namespace {

const char* era_of(const std::string& version) {
    if (version.empty()) return "";
    return mcp::is_modern_version(version) ? "modern" : "legacy";
}

Shown as_json(App& app) {
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
            .field("words", s.words)
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
    return Shown::json(w.end().take()) + "\n";
}

Shown as_text(App& app) {
    Shown out;
    for (const bridge::CatalogueServer& s : app.catalogue().servers()) {
        out += Shown::line(s.name) + " (mcp_" + Shown::line(s.alias) + "): " + Shown::line(s.state) + ", " +
               Shown::line(s.transport);
        if (!s.version.empty())
            out += ", " + Shown::line(era_of(s.version)) + " era, protocol " + Shown::line(s.version);
        out += "\n  from " + Shown::line(s.source) + "\n";
        if (!s.description.empty()) out += "  " + Shown::block(s.description) + "\n";
        if (!s.reason.empty()) out += "  why: " + Shown::block(s.reason) + "\n";
        if (!s.words.empty()) out += "  it last wrote: " + Shown::block(s.words) + "\n";
        if (const auto tools = app.catalogue().known_tools(s.name)) {
            out += "  " + Shown::number(static_cast<std::int64_t>(tools->size())) + " tools:";
            for (const bridge::CatalogueTool& tool : *tools) out += " " + Shown::line(tool.name);
            out += "\n";
        }
        for (const std::string& warning : app.catalogue().warnings(s.name))
            out += "  odd: " + Shown::block(warning) + "\n";
    }
    for (const std::string& fault : app.catalogue().faults()) out += "FAULT " + Shown::block(fault) + "\n";
    for (const std::string& reach : app.catalogue().reach()) out += "REACH " + Shown::block(reach) + "\n";
    for (const std::string& note : app.catalogue().configuration_notes())
        out += "note: " + Shown::block(note) + "\n";
    if (!out.empty()) return out;
    return "no upstream servers are configured: put {\"mcpServers\": {…}} into ~/MCPs/*.json, "
           "or ~/.config/mcp/servers/*.json, or name a file with MCP_SERVERS_CONFIG\n";
}

asio::awaitable<int> list(App* app, bool json) {
    const bool started = co_await start_servers(app, std::chrono::hours(1)); // each has a limit of its own
    say(json ? as_json(*app) : as_text(*app));
    co_await app->shut_down();
    const bool faulty = !started || !app->catalogue().faults().empty();
    co_return faulty ? 1 : 0;
}

} // namespace

int servers(const Options& options) {
    if (options.action == "accept") return accept_servers(options);
    asio::io_context loop(1);
    App app(loop, options.settings, own_environment());
    app.catalogue().words_to({}); // they are in the list
    return run_to_end(loop, list(&app, options.json));
}

} // namespace cli
