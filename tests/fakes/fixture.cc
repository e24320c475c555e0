#include "tests/fakes/fixture.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "src/base/base64.h"
#include "src/base/json.h"

namespace fixture {
namespace asio = boost::asio;

const std::string png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const std::string wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

mcp::Tool tool(const std::string& name, const std::string& description, const std::string& schema) {
    mcp::Tool out;
    out.name = name;
    out.description = description;
    out.input_schema = schema;
    return out;
}

std::string text_result(const std::string& text, bool is_error) {
    json::Writer w;
    w.object().key("content").array().object().field("type", "text").field("text", text).end().end();
    if (is_error) w.field("isError", true);
    return w.end().take();
}

std::string param(const mcp::Request& request, std::string_view key) {
    return std::string(json::member(request.message.params(), key).value_or(""));
}

std::string argument(const mcp::Request& request, std::string_view key) {
    const auto arguments = json::member(request.message.params(), "arguments");
    return arguments ? std::string(json::member(*arguments, key).value_or("")) : "";
}

std::string string_argument(const mcp::Request& request, std::string_view key) {
    const std::string value = argument(request, key);
    return value.starts_with('"') ? json::unquote(value) : std::string();
}

asio::awaitable<void> pause(asio::any_io_executor executor, std::chrono::milliseconds time) {
    asio::steady_timer timer(executor, time);
    co_await timer.async_wait(asio::use_awaitable);
}

bool declares(const mcp::Request& request, std::string_view capability) {
    const bool modern = request.served_as.era == mcp::Era::modern;
    const std::string all =
        modern ? request.meta.client_capabilities.value_or("{}") : request.session->client_capabilities();
    return json::member(all, capability).has_value();
}

Fixture::Fixture(asio::any_io_executor executor) : executor_(executor) {
    add_plain_tools(tools_, executor);
    add_asking_tools(tools_);
    add_input_tools(tools_);
    const auto trigger = [this](mcp::Request) -> Answer {
        publish("notifications/tools/list_changed");
        publish("notifications/prompts/list_changed");
        co_return text_result("Told.");
    };
    tools_.push_back({tool("test_trigger_tool_change", "Says that the list of tools has changed"), trigger});
    tools_.push_back(
        {tool("test_trigger_prompt_change", "Says that the list of prompts has changed"), trigger});
}

mcp::ServerDescription Fixture::description() {
    mcp::ServerDescription out;
    out.info = {"cordon-fixture", "Cordon's fixture", CORDON_VERSION};
    out.capabilities = R"({"tools":{"listChanged":true},"resources":{"subscribe":true},)"
                       R"("prompts":{"listChanged":true},"logging":{},"completions":{}})";
    return out;
}

std::vector<mcp::Tool> Fixture::tools() {
    std::vector<mcp::Tool> out;
    for (const FixtureTool& each : tools_) out.push_back(each.definition);
    return out;
}

Answer Fixture::call(mcp::Request request) {
    const std::string name = mcp::string_param(request, "name");
    for (const FixtureTool& each : tools_)
        if (each.definition.name == name) co_return co_await each.run(std::move(request));
    throw jsonrpc::Error(jsonrpc::code::invalid_params, "Unknown tool: " + name);
}

// tools/call is taken over whole, since these tools look at more than their arguments.
Answer Fixture::call_tool(mcp::CallContext, std::string, std::string) {
    co_return text_result("not reached");
}

std::vector<mcp::Resource> Fixture::resources(const std::string&) {
    std::vector<mcp::Resource> out;
    for (const char* name : {"static-text", "static-binary", "watched-resource"}) {
        mcp::Resource one;
        one.uri = "test://" + std::string(name);
        one.name = name;
        one.description = "For tests";
        one.mime_type = std::string(name) == "static-binary" ? "image/png" : "text/plain";
        out.push_back(one);
    }
    return out;
}

asio::awaitable<std::optional<mcp::ResourceContent>> Fixture::read_resource(std::string, std::string uri) {
    mcp::ResourceContent content;
    content.uri = uri;
    content.mime_type = "text/plain";
    content.data = "This is the content of the static text resource.";
    const std::string before = "test://template/", after = "/data";
    if (uri == "test://static-binary") {
        content.mime_type = "image/png";
        content.binary = true;
        content.data = *base::base64_decoded(png);
    } else if (uri.starts_with(before) && uri.ends_with(after)) {
        const std::string id = uri.substr(before.size(), uri.size() - before.size() - after.size());
        content.mime_type = "application/json";
        content.data = R"({"id":")" + id + R"(","templateTest":true,"data":"Data for ID: )" + id + "\"}";
    } else if (uri != "test://static-text" && uri != "test://watched-resource") {
        co_return std::nullopt;
    }
    co_return content;
}

void Fixture::client_gone(const std::string&) {}

void Fixture::extend(mcp::MethodTable& table) {
    const auto empty = [](mcp::Request) -> Answer { co_return "{}"; };
    const auto complete = [](mcp::Request) -> Answer {
        co_return R"({"completion":{"values":["paris","park","party"],"total":3,"hasMore":false}})";
    };
    const auto templates = [](mcp::Request) -> Answer {
        co_return R"({"resourceTemplates":[{"uriTemplate":"test://template/{id}/data","name":"template","description":"For tests","mimeType":"application/json"}]})";
    };
    table.add("tools/call", {.answer = [this](mcp::Request request) { return call(std::move(request)); }});
    table.add("resources/subscribe", {.modern = false, .answer = empty});
    table.add("resources/unsubscribe", {.modern = false, .answer = empty});
    table.add("logging/setLevel", {.modern = false, .answer = empty});
    table.add("resources/templates/list", {.cacheable = true, .answer = templates});
    table.add("completion/complete", {.answer = complete});
    add_prompts(table);
}

} // namespace fixture
