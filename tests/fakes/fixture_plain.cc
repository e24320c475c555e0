#include <memory>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "src/base/json.h"
#include "tests/fakes/fixture.h"

// Tools that give a result and perhaps say something on the way.
namespace fixture {
namespace asio = boost::asio;
namespace {

const std::string image = R"({"type":"image","data":")" + png + R"(","mimeType":"image/png"})";

void add_fixed(Tools& tools, const std::string& name, const std::string& result) {
    tools.push_back(
        {tool(name, "Gives a fixed result"), [result](mcp::Request) -> Answer { co_return result; }});
}

void log(const mcp::Request& request, const std::string& text) {
    if (request.served_as.era == mcp::Era::modern && !request.meta.log_level) return;
    json::Writer w;
    w.object().field("level", "info").field("logger", "fixture").field("data", text).end();
    request.notify("notifications/message", w.take());
}

Answer with_logging(asio::any_io_executor executor, mcp::Request request) {
    for (const char* text : {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
        log(request, text);
        co_await pause(executor, std::chrono::milliseconds(50));
    }
    co_return text_result("Logged.");
}

Answer with_progress(asio::any_io_executor executor, mcp::Request request) {
    for (const double done : {0.0, 50.0, 100.0}) {
        request.progress(done, 100.0, "");
        co_await pause(executor, std::chrono::milliseconds(50));
    }
    co_return text_result("Done.");
}

Answer echo(mcp::Request request) { co_return text_result(string_argument(request, "text")); }

Answer big(mcp::Request request) {
    const std::string bytes = argument(request, "bytes");
    co_return text_result(std::string(bytes.empty() ? 0 : std::stoul(bytes), 'x'));
}

// Waits so many milliseconds, with progress; counts where it was cancelled.
Answer wait(asio::any_io_executor executor, std::shared_ptr<int> cancelled, mcp::Request request) {
    const std::string text = argument(request, "ms");
    asio::steady_timer timer(executor, std::chrono::milliseconds(text.empty() ? 60'000 : std::stol(text)));
    request.progress(1, std::nullopt, "waiting");
    boost::system::error_code error;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (error) ++*cancelled;
    co_return text_result("waited");
}

const char* const schema_2020_12 =
    R"j({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})j";

void add_for_sdk(Tools& tools, asio::any_io_executor executor) {
    const auto cancelled = std::make_shared<int>(0);
    const auto count = [cancelled](mcp::Request) -> Answer {
        co_return text_result(std::to_string(*cancelled));
    };
    const auto waiting = [executor, cancelled](mcp::Request request) {
        return wait(executor, cancelled, std::move(request));
    };
    tools.push_back(
        {tool("echo", "Says it again", R"({"type":"object","properties":{"text":{"type":"string"}}})"),
         echo});
    tools.push_back(
        {tool("big", "Many bytes", R"({"type":"object","properties":{"bytes":{"type":"integer"}}})"), big});
    tools.push_back(
        {tool("wait", "Waits", R"({"type":"object","properties":{"ms":{"type":"integer"}}})"), waiting});
    tools.push_back({tool("cancelled", "How many waits were cancelled"), count});
}

} // namespace

void add_plain_tools(Tools& tools, asio::any_io_executor executor) {
    const std::string embedded =
        R"({"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}})";
    const std::string mixed =
        R"({"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}})";
    add_fixed(tools, "test_simple_text", text_result("This is a simple text response for testing."));
    add_fixed(tools, "test_image_content", R"({"content":[)" + image + "]}");
    add_fixed(tools, "test_audio_content",
              R"({"content":[{"type":"audio","data":")" + wav + R"(","mimeType":"audio/wav"}]})");
    add_fixed(tools, "test_embedded_resource", R"({"content":[)" + embedded + "]}");
    add_fixed(tools, "test_multiple_content_types",
              R"({"content":[{"type":"text","text":"Multiple content types test:"},)" + image + "," + mixed +
                  "]}");
    add_fixed(tools, "test_error_handling",
              text_result("This tool intentionally returns an error for testing", true));
    add_fixed(tools, "json_schema_2020_12_tool", text_result("ok"));
    tools.back().definition.input_schema = schema_2020_12;
    const auto logging = [executor](mcp::Request request) {
        return with_logging(executor, std::move(request));
    };
    const auto progress = [executor](mcp::Request request) {
        return with_progress(executor, std::move(request));
    };
    tools.push_back({tool("test_tool_with_logging", "Logs three lines"), logging});
    tools.push_back({tool("test_logging_tool", "Logs three lines"), logging});
    tools.push_back({tool("test_tool_with_progress", "Reports progress"), progress});
    add_for_sdk(tools, executor);
}

} // namespace fixture
