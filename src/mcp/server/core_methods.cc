#include "src/mcp/server/core_methods.h"

#include "src/base/json.h"
#include "src/mcp/server/subscriptions.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

using jsonrpc::Error;
using Answer = asio::awaitable<std::string>;

[[noreturn]] void refuse(const std::string& what) { throw Error(jsonrpc::code::invalid_params, what); }

// Everything fits on one page, so no cursor that a client has can be ours.
void refuse_cursor(const Request& request) {
    const auto cursor = json::member(request.message.params(), "cursor");
    if (cursor && json::kind(*cursor) != json::Kind::null) refuse("params: unknown \"cursor\"");
}

std::string arguments_of(const Request& request) {
    const auto arguments = json::member(request.message.params(), "arguments");
    if (!arguments || json::kind(*arguments) == json::Kind::null) return "{}";
    const bool is_array = json::kind(*arguments) == json::Kind::array;
    if (is_array && json::elements(*arguments).empty()) return "{}"; // as PHP writes an empty object
    if (json::kind(*arguments) != json::Kind::object) refuse("params: \"arguments\" must be an object");
    return std::string(*arguments);
}

struct Called {
    std::string name{};
    std::string arguments{};
};

// Large params are looked through on another thread.
asio::awaitable<Called> called_in(const Request* request) {
    auto read = [request] { return Called{string_param(*request, "name"), arguments_of(*request)}; };
    co_return co_await base::run_if_large(request->workers, request->message.params().size(), read);
}

// Frees its text. (To assign an empty one would not: libstdc++ then keeps the larger buffer.)
void let_go(jsonrpc::Message& message) { const jsonrpc::Message taken(std::move(message)); }

// What clients of 2024 do not know, and modern ones cannot be sent.
AskPerson ask_person(const Request& request) {
    const Admission& as = request.served_as;
    const bool can = as.era == Era::legacy && as.version >= "2025-06-18" &&
                     elicitation::declared(request.session->client_capabilities());
    if (!can) return {};
    return [ask = request.ask](std::string params) { return ask("elicitation/create", std::move(params)); };
}

Answer call_tool(Service& service, Request request) {
    Called called = co_await called_in(&request);
    CallContext context;
    context.client = request.client;
    context.client_name = request.session->client_name();
    context.wants_progress = !request.meta.progress_token.empty();
    context.progress = request.progress;
    context.ask = ask_person(request);
    let_go(request.message); // it may hold megabytes, and the call may last
    co_return co_await service.call_tool(std::move(context), std::move(called.name),
                                         std::move(called.arguments));
}

Answer read_resource(Service& service, Request request) {
    const std::string uri = string_param(request, "uri");
    const std::optional<ResourceContent> content = co_await service.read_resource(request.client, uri);
    if (content) co_return read_result(*content);
    json::Writer data;
    data.object().field("uri", uri).end();
    const bool legacy = request.served_as.era == Era::legacy;
    const int number = legacy ? code::resource_not_found : jsonrpc::code::invalid_params;
    throw Error(number, "Resource not found: " + uri, data.take());
}

Answer listen(Request request) {
    std::string filter(json::member(request.message.params(), "notifications").value_or("null"));
    co_return co_await request.subscriptions->listen(request.message.id(), std::move(filter), request.notify);
}

// A method that answers at once.
MethodTable::Handler at_once(std::function<std::string(const Request&)> answer) {
    return [answer = std::move(answer)](Request request) -> Answer { co_return answer(request); };
}

void add_opening(MethodTable& table, Service& service, const ServerDescription& description) {
    const auto initialize = [&service, description](const Request& request) {
        const std::string version = request.session->initialize(request.message.params());
        service.client_came();
        return initialize_result(description.info, version, description.capabilities, service.instructions());
    };
    const auto discover = [&service, description](const Request&) {
        service.client_came();
        return discover_result(description.capabilities, service.instructions());
    };
    table.add("initialize", {.modern = false, .answer = at_once(initialize)});
    table.add("ping", {.modern = false, .answer = at_once([](const Request&) { return std::string("{}"); })});
    table.add("server/discover", {.legacy = false, .cacheable = true, .answer = at_once(discover)});
    table.add("subscriptions/listen", {.legacy = false, .answer = listen});
}

void add_lists(MethodTable& table, Service& service) {
    const auto tools = [&service](const Request& request) {
        refuse_cursor(request);
        return tools_result(service.tools());
    };
    const auto resources = [&service](const Request& request) {
        refuse_cursor(request);
        return resources_result(service.resources(request.client));
    };
    const auto templates = [](const Request& request) {
        refuse_cursor(request);
        return std::string(R"({"resourceTemplates":[]})");
    };
    table.add("tools/list", {.cacheable = true, .answer = at_once(tools)});
    table.add("resources/list", {.cacheable = true, .answer = at_once(resources)});
    table.add("resources/templates/list", {.cacheable = true, .answer = at_once(templates)});
}

} // namespace

std::string string_param(const Request& request, std::string_view key) {
    const auto value = json::member(request.message.params(), key);
    if (!value || json::kind(*value) != json::Kind::string)
        refuse("params: \"" + std::string(key) + "\" must be a string");
    return json::unquote(*value);
}

void add_core_methods(MethodTable& table, Service& service, const ServerDescription& description) {
    add_opening(table, service, description);
    add_lists(table, service);
    const auto call = [&service](Request request) { return call_tool(service, std::move(request)); };
    const auto read = [&service](Request request) { return read_resource(service, std::move(request)); };
    table.add("tools/call", {.answer = call});
    table.add("resources/read", {.cacheable = true, .answer = read});
}

} // namespace mcp
