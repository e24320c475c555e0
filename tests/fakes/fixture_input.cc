#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "tests/fakes/fixture.h"

// Tools that ask a modern client something, by a result that says what is needed (multi round-trip requests).
namespace fixture {
namespace {

using jsonrpc::Error;

std::string elicitation(const std::string& message, const std::string& field,
                        const std::string& type = "string") {
    return R"({"method":"elicitation/create","params":{"mode":"form","message":)" + json::quote(message) +
           R"(,"requestedSchema":{"type":"object","properties":{")" + field + R"(":{"type":")" + type +
           R"("}},"required":[")" + field + R"("]}}})";
}

std::string sampling(const std::string& prompt, int tokens) {
    return R"({"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":)" +
           json::quote(prompt) + R"(}}],"maxTokens":)" + std::to_string(tokens) + "}}";
}

const std::string roots = R"({"method":"roots/list","params":{}})";

// name and request, alternating
std::string needs(const std::vector<std::pair<std::string, std::string>>& requests,
                  const std::string& state = {}) {
    json::Writer w;
    w.object().field("resultType", "input_required").key("inputRequests").object();
    for (const auto& [name, request] : requests) w.raw_field(name, request);
    w.end();
    if (!state.empty()) w.field("requestState", state);
    return w.end().take();
}

std::string seal(const std::string& text) {
    static const std::string key = "only for tests";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
    return text + "." + base::base64({reinterpret_cast<const char*>(digest), size});
}

// The state that came back, unsealed; "" where none came. Throws where it is not ours.
std::string state_of(const mcp::Request& request) {
    const std::string value = param(request, "requestState");
    if (value.empty()) return {};
    const std::string sealed = value.starts_with('"') ? json::unquote(value) : "";
    const std::string text = sealed.substr(0, sealed.find('.'));
    if (seal(text) != sealed)
        throw Error(jsonrpc::code::invalid_params, "requestState is not what this server gave");
    return text;
}

// What came back for one input request, an object; "" where nothing usable did.
std::string response(const mcp::Request& request, std::string_view name) {
    const std::string all = param(request, "inputResponses");
    if (all.empty()) return {};
    if (json::kind(all) != json::Kind::object)
        throw Error(jsonrpc::code::invalid_params, "inputResponses must be an object");
    const auto one = json::member(all, name);
    return one && json::kind(*one) == json::Kind::object ? std::string(*one) : "";
}

// A field of an accepted elicitation, as text.
std::string accepted(const mcp::Request& request, std::string_view name, std::string_view field) {
    const std::string answer = response(request, name);
    const auto content = answer.empty() ? std::nullopt : json::member(answer, "content");
    if (!content || json::kind(*content) != json::Kind::object) return {};
    const auto value = json::member(*content, field);
    if (!value) return {};
    return json::kind(*value) == json::Kind::string ? json::unquote(*value) : std::string(*value);
}

std::string ask_name(const mcp::Request& request) {
    const std::string name = accepted(request, "user_name", "name");
    if (name.empty()) return needs({{"user_name", elicitation("What is your name?", "name")}});
    return text_result("Hello, " + name + "!");
}

std::string ask_capital(const mcp::Request& request) {
    const std::string answer = response(request, "capital_question");
    if (answer.empty()) return needs({{"capital_question", sampling("What is the capital of France?", 100)}});
    const auto content = json::member(answer, "content");
    const auto text =
        content && json::kind(*content) == json::Kind::object ? json::member(*content, "text") : std::nullopt;
    return text_result(text ? json::unquote(*text) : "no text");
}

std::string ask_roots(const mcp::Request& request) {
    const std::string answer = response(request, "client_roots");
    if (answer.empty()) return needs({{"client_roots", roots}});
    return text_result("Roots: " + std::string(json::member(answer, "roots").value_or("[]")));
}

std::string with_state(const mcp::Request& request) {
    const std::string state = state_of(request);
    if (response(request, "confirm").empty() || state != "confirming")
        return needs({{"confirm", elicitation("Please confirm", "ok", "boolean")}}, seal("confirming"));
    return text_result("state-ok");
}

std::string ask_all(const mcp::Request& request) {
    const std::string state = state_of(request);
    const bool all = !response(request, "user_name").empty() && !response(request, "greeting").empty() &&
                     !response(request, "client_roots").empty();
    if (all && state == "all") return text_result("All three came.");
    return needs({{"user_name", elicitation("What is your name?", "name")},
                  {"greeting", sampling("Generate a greeting", 50)},
                  {"client_roots", roots}},
                 seal("all"));
}

std::string ask_twice(const mcp::Request& request) {
    const std::string state = state_of(request);
    if (state == "round-2" && !response(request, "step2").empty())
        return text_result("Both rounds are done.");
    if (state == "round-1" && !response(request, "step1").empty())
        return needs({{"step2", elicitation("Step 2: What is your favorite color?", "color")}},
                     seal("round-2"));
    return needs({{"step1", elicitation("Step 1: What is your name?", "name")}}, seal("round-1"));
}

std::string ask_what_may_be(const mcp::Request& request) {
    std::vector<std::pair<std::string, std::string>> wanted;
    if (declares(request, "elicitation"))
        wanted.emplace_back("user_name", elicitation("What is your name?", "name"));
    if (declares(request, "sampling")) wanted.emplace_back("greeting", sampling("Generate a greeting", 50));
    if (declares(request, "roots")) wanted.emplace_back("client_roots", roots);
    const bool answered = !param(request, "inputResponses").empty();
    return wanted.empty() || answered ? text_result("Nothing more to ask.") : needs(wanted);
}

Answer streaming(mcp::Request request) {
    request.notify("notifications/message", R"({"level":"info","data":"asking"})");
    co_return ask_name(request);
}

void add(Tools& tools, const std::string& name, std::string (*answer)(const mcp::Request&)) {
    tools.push_back({tool(name, "Needs input of the client"),
                     [answer](mcp::Request request) -> Answer { co_return answer(request); }});
}

} // namespace

void add_input_tools(Tools& tools) {
    add(tools, "test_input_required_result_elicitation", ask_name);
    add(tools, "test_input_required_result_sampling", ask_capital);
    add(tools, "test_input_required_result_list_roots", ask_roots);
    add(tools, "test_input_required_result_request_state", with_state);
    add(tools, "test_input_required_result_tampered_state", with_state);
    add(tools, "test_input_required_result_multiple_inputs", ask_all);
    add(tools, "test_input_required_result_multi_round", ask_twice);
    add(tools, "test_input_required_result_capabilities", ask_what_may_be);
    tools.push_back({tool("test_streaming_elicitation", "Asks on a stream"), streaming});
}

} // namespace fixture
