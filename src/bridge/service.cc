#include "src/bridge/service.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "src/base/json.h"
#include "src/base/shown.h"
#include "src/base/workers.h"
#include "src/bridge/manual.h"

namespace bridge {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto progress_every = 5s;
// What instructions may hold of server names: clients cut the whole at 2,048 characters.
constexpr std::size_t most_names = 30;
constexpr std::size_t most_names_bytes = 600;
constexpr std::size_t most_instructions = 1780;
constexpr std::size_t kept_for_faults = 320; // where there are any
constexpr std::size_t most_faults_bytes = 500;
constexpr std::size_t most_fault_bytes = 220;

constexpr const char* input_schema =
    R"json({"type":"object","properties":{)json"
    R"json("code":{"type":"string","description":"Python source"},)json"
    R"json("servers":{"type":"array","items":{"type":"string"},"description":"use only these MCP servers (default: all)"},)json"
    R"json("timeout":{"type":"number","description":"seconds"},)json"
    R"json("session":{"type":"string","description":"name of an interpreter that lives on between calls"}},)json"
    R"json("required":["code"]})json";

// While a call runs and its client asked for progress: a message every few seconds, which keeps idle timeouts
// from ending it. Its value is the least that rises, so that what the code itself reports ("1 of 3") still
// means something afterwards.
asio::awaitable<void> beat(std::weak_ptr<RunState> run, std::shared_ptr<asio::steady_timer> timer,
                           std::shared_ptr<mcp::CallContext> context) {
    for (;;) {
        timer->expires_after(progress_every);
        boost::system::error_code ignored;
        co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        const auto state = run.lock();
        if (!state) co_return;
        context->progress(0, std::nullopt, state->last_line.text());
    }
}

// What is wrong with the configured servers, so that the model can tell its user; in `room` bytes, or
// nothing.
std::string faults_text(const std::vector<std::string>& faults, std::size_t room) {
    if (faults.empty()) return {};
    std::string text = "\n\nNot usable (tell the user; `cordon servers` shows all):";
    std::size_t shown = 0;
    for (const std::string& fault : faults) {
        const std::string line = base::Shown::line(fault, most_fault_bytes).text();
        if (text.size() + line.size() + 20 > std::min(room, most_faults_bytes)) break;
        text += "\n- " + line;
        ++shown;
    }
    if (shown < faults.size())
        text += "\n- " + std::to_string(faults.size() - shown) + (shown > 0 ? " more" : " entries or files");
    return text.size() <= room ? text : std::string();
}

} // namespace

Service::Service(RunPythonParts parts, ServiceOptions options)
    : parts_(std::move(parts)), options_(options) {}

std::string Service::instructions() {
    std::string text =
        "run_python executes Python in a sealed container (no network, no host files) and is the way to the "
        "user's other MCP servers: use it "
        "whenever a task needs one of them, needs several calls, or needs computing. One program can call "
        "many tools, loop, filter and combine, and print only "
        "what matters.\n\n"
        "Discover, then call, in the code:\n"
        "from mcp import runtime\n"
        "runtime.discovered_servers()                          # names\n"
        "await runtime.search_tool_docs(\"create issue\")         # ranked docs with signatures\n"
        "await runtime.query_tool_docs(\"github\", \"create_issue\", detail=\"full\")\n"
        "r = await mcp_github.create_issue(title=\"…\")           # mcp_<alias>.<tool>(…); .sync(…) without "
        "await\n"
        "await asyncio.gather(mcp_a.x(), mcp_b.y())              # calls run together\n\n"
        "Results come as Python values; a tool that fails raises runtime.MCPError. print() what you want to "
        "see; the last expression is shown. display(x) shows "
        "images and tables. Each call is a fresh interpreter unless `session` names one. Time limit " +
        std::to_string(options_.limits.timeout.count()) + " s, at most " +
        std::to_string(options_.limits.max_timeout.count()) +
        " s with `timeout`. Output is cut in the middle beyond " + std::to_string(parts_.max_output) +
        " characters. runtime.capability_summary() has the manual.";
    const std::vector<std::string> faults = parts_.shelf.catalogue.faults();
    const std::size_t room = most_instructions - std::min(text.size(), most_instructions);
    const std::size_t names_room =
        std::min(most_names_bytes, room - std::min(room, faults.empty() ? 20 : kept_for_faults));
    const auto rules = parts_.policy ? parts_.policy->current() : nullptr;
    std::string names;
    std::size_t count = 0;
    for (const CatalogueServer& server : parts_.shelf.catalogue.servers()) {
        if (!server.usable || (rules && !policy::server_refusal(*rules, server.name).empty())) continue;
        if (count++ >= most_names || names.size() + server.name.size() > names_room) {
            names += ", …";
            break;
        }
        names += (names.empty() ? "" : ", ") + base::Shown::line(server.name).text();
    }
    if (!names.empty()) text += "\n\nServers: " + names;
    return text + faults_text(faults, most_instructions - std::min(text.size(), most_instructions));
}

std::vector<mcp::Tool> Service::tools() {
    mcp::Tool tool;
    tool.name = "run_python";
    tool.title = "Run Python";
    tool.description = "Run Python in a sealed container. The code can call the user's other MCP servers: "
                       "`from mcp import runtime`; "
                       "runtime.search_tool_docs(\"what\"), then await mcp_<server>.<tool>(…).";
    tool.input_schema = input_schema;
    tool.annotations = R"({"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true})";
    // for clients that show tools only when they were searched for: shown anyway, or found by these words
    tool.meta = std::string("{") + (options_.always_load ? R"("anthropic/alwaysLoad":true,)" : "") +
                R"("anthropic/searchHint":"run python code, call MCP tools"})";
    return {tool};
}

asio::awaitable<std::string> Service::call_tool(mcp::CallContext context, std::string name,
                                                std::string arguments) {
    if (name != "run_python")
        throw jsonrpc::Error(jsonrpc::code::invalid_params,
                             "unknown tool: " + name.substr(0, 100) + "; the only tool is run_python");
    std::string refusal;
    RunReport report;
    try {
        RunRequest request;
        auto read = [&] { return read_arguments(arguments, options_.limits); };
        request = co_await base::run_if_large(parts_.shelf.workers, arguments.size(), read);
        arguments.clear();
        arguments.shrink_to_fit();
        request.client = context.client;
        request.client_name = context.client_name;
        request.ask = context.ask;
        const auto state = std::make_shared<RunState>();
        if (context.wants_progress && context.progress) {
            request.on_progress = context.progress;
            const auto shared = std::make_shared<mcp::CallContext>(context);
            state->timer = std::make_shared<asio::steady_timer>(parts_.executor);
            asio::co_spawn(parts_.executor, beat(state, state->timer, shared), asio::detached);
        }
        report = co_await run_python(parts_, std::move(request), state);
    } catch (const BadArguments& e) {
        refusal = e.what();
    } catch (const json::Error& e) {
        refusal = e.what();
    }
    if (!refusal.empty()) co_return render_refusal(refusal);
    co_return render_result(report, options_.output_mode, takes_json_for_structure(context.client_name));
}

std::vector<mcp::Resource> Service::resources(const std::string& client) {
    std::vector<mcp::Resource> all;
    mcp::Resource capabilities;
    capabilities.uri = capabilities_uri;
    capabilities.name = "capabilities";
    capabilities.title = "run_python: the manual";
    capabilities.description = "How code in run_python finds and calls tools, shows and keeps things.";
    capabilities.mime_type = "text/markdown";
    all.push_back(std::move(capabilities));
    if (client.empty()) return all; // files are others' too: each is read by its URI
    for (const Artifacts::File* file : parts_.artifacts.of(client)) {
        mcp::Resource resource;
        resource.uri = file->uri;
        resource.name = file->name;
        resource.mime_type = file->mime_type;
        resource.size_bytes = static_cast<std::int64_t>(file->data.size());
        all.push_back(std::move(resource));
    }
    return all;
}

asio::awaitable<std::optional<mcp::ResourceContent>> Service::read_resource(std::string client,
                                                                            std::string uri) {
    mcp::ResourceContent content;
    content.uri = uri;
    if (uri == capabilities_uri) {
        content.mime_type = "text/markdown";
        content.data = manual();
        co_return content;
    }
    const Artifacts::File* file = parts_.artifacts.find(client, uri);
    if (!file) co_return std::nullopt;
    content.mime_type = file->mime_type;
    content.data = file->data;
    content.binary = !(file->mime_type.starts_with("text/") || file->mime_type == "application/json") ||
                     json::valid_utf8(file->data) != file->data;
    co_return content;
}

void Service::client_gone(const std::string& client) {
    parts_.sessions.end_client(client);
    parts_.artifacts.forget(client);
    if (parts_.grants) parts_.grants->forget(client);
}

} // namespace bridge
