#include "src/base/json.h"
#include "src/mcp/versions.h"
#include "tests/fakes/fixture.h"

// Tools that ask a legacy client something, by a request of ours.
namespace fixture {
namespace {

[[noreturn]] void lacks(const std::string& capability) {
    throw jsonrpc::Error(mcp::code::missing_client_capability, "the client has not declared " + capability,
                         R"({"requiredCapabilities":{")" + capability + R"(":{}}})");
}

Answer sampling(mcp::Request request) {
    if (!declares(request, "sampling")) co_return text_result("the client does not support sampling", true);
    const std::string prompt = json::quote(string_argument(request, "prompt"));
    const std::string params = R"({"messages":[{"role":"user","content":{"type":"text","text":)" + prompt +
                               R"(}}],"maxTokens":100})";
    const std::string answer = co_await request.ask("sampling/createMessage", params);
    const auto content = json::member(answer, "content");
    const auto text = content ? json::member(*content, "text") : std::nullopt;
    co_return text_result("LLM response: " + (text ? json::unquote(*text) : std::string("none")));
}

Answer elicit(mcp::Request request, std::string message, std::string schema, std::string prefix) {
    if (!declares(request, "elicitation"))
        co_return text_result("the client does not support elicitation", true);
    const std::string params =
        R"({"message":)" + json::quote(message) + R"(,"requestedSchema":)" + schema + "}";
    const std::string answer = co_await request.ask("elicitation/create", params);
    const auto action = json::member(answer, "action");
    const auto content = json::member(answer, "content");
    co_return text_result(prefix + "action=" + (action ? json::unquote(*action) : "none") +
                          ", content=" + std::string(content.value_or("{}")));
}

const char* const user_schema =
    R"({"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]})";
const char* const defaults_schema =
    R"({"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}},"required":[]})";
const char* const enums_schema =
    R"({"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]})";

} // namespace

void add_asking_tools(Tools& tools) {
    const std::string text =
        R"({"type":"object","properties":{"prompt":{"type":"string"},"message":{"type":"string"}}})";
    const auto user = [](mcp::Request request) {
        std::string message = string_argument(request, "message");
        return elicit(std::move(request), std::move(message), user_schema, "User response: ");
    };
    const auto defaults = [](mcp::Request request) {
        return elicit(std::move(request), "Please review the defaults", defaults_schema,
                      "Elicitation completed: ");
    };
    const auto enums = [](mcp::Request request) {
        return elicit(std::move(request), "Please choose", enums_schema, "Elicitation completed: ");
    };
    const auto missing = [](mcp::Request request) -> Answer {
        if (!declares(request, "sampling")) lacks("sampling");
        co_return text_result("The client can sample.");
    };
    tools.push_back({tool("test_sampling", "Asks the client's model", text), sampling});
    tools.push_back({tool("test_elicitation", "Asks the user", text), user});
    tools.push_back({tool("test_elicitation_sep1034_defaults", "Asks the user, with defaults"), defaults});
    tools.push_back({tool("test_elicitation_sep1330_enums", "Asks the user to choose"), enums});
    tools.push_back({tool("test_missing_capability", "Needs sampling"), missing});
}

} // namespace fixture
