#include "src/base/json.h"
#include "tests/fakes/fixture.h"

namespace fixture {
namespace {

std::string message(const std::string& content) { return R"({"role":"user","content":)" + content + "}"; }
std::string text(const std::string& words) { return R"({"type":"text","text":)" + json::quote(words) + "}"; }
std::string messages(const std::string& all) { return R"({"messages":[)" + all + "]}"; }

const char* const prompts =
    R"({"prompts":[{"name":"test_simple_prompt","description":"Simple"},)"
    R"({"name":"test_prompt_with_arguments","description":"With arguments","arguments":[{"name":"arg1","description":"First test argument","required":true},{"name":"arg2","description":"Second test argument","required":true}]},)"
    R"({"name":"test_prompt_with_embedded_resource","description":"With a resource","arguments":[{"name":"resourceUri","description":"URI of the resource to embed","required":true}]},)"
    R"({"name":"test_prompt_with_image","description":"With an image"},)"
    R"({"name":"test_input_required_result_prompt","description":"Needs input"}]})";

std::string needs_context(const mcp::Request& request) {
    const std::string answers = param(request, "inputResponses");
    if (!answers.empty() && json::kind(answers) == json::Kind::object &&
        json::member(answers, "user_context"))
        return messages(message(text("The context is there.")));
    return R"({"resultType":"input_required","inputRequests":{"user_context":{"method":"elicitation/create","params":{"mode":"form",)"
           R"("message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}}}})";
}

std::string with_resource(const mcp::Request& request) {
    const std::string resource =
        R"({"type":"resource","resource":{"uri":)" + json::quote(string_argument(request, "resourceUri")) +
        R"(,"mimeType":"text/plain","text":"Embedded resource content for testing."}})";
    return messages(message(resource) + "," + message(text("Please process the embedded resource above.")));
}

Answer get(mcp::Request request) {
    const std::string name = mcp::string_param(request, "name");
    if (name == "test_simple_prompt")
        co_return messages(message(text("This is a simple prompt for testing.")));
    if (name == "test_prompt_with_arguments")
        co_return messages(message(text("Prompt with arguments: arg1='" + string_argument(request, "arg1") +
                                        "', arg2='" + string_argument(request, "arg2") + "'")));
    if (name == "test_prompt_with_embedded_resource") co_return with_resource(request);
    if (name == "test_prompt_with_image")
        co_return messages(message(R"({"type":"image","data":")" + png + R"(","mimeType":"image/png"})") +
                           "," + message(text("Please analyze the image above.")));
    if (name == "test_input_required_result_prompt") co_return needs_context(request);
    throw jsonrpc::Error(jsonrpc::code::invalid_params, "Unknown prompt: " + name);
}

Answer list(mcp::Request) { co_return prompts; }

} // namespace

void add_prompts(mcp::MethodTable& table) {
    table.add("prompts/list", {.cacheable = true, .answer = list});
    table.add("prompts/get", {.answer = get});
}

} // namespace fixture
