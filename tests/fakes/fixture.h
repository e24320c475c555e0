#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/mcp/server/core_methods.h"
#include "src/mcp/server/service.h"

namespace fixture {

using Answer = boost::asio::awaitable<std::string>;

/// A tool of the fixture: its definition, and what it does with a whole request.
struct FixtureTool {
    mcp::Tool definition;
    std::function<Answer(mcp::Request)> run;
};
using Tools = std::vector<FixtureTool>;

/// What the conformance suite and the SDK tests need: tools, resources and prompts by the suite's own
/// descriptions. The parts that Cordon itself does not offer (prompts, logging, sampling, elicitation) are
/// added to the method table.
class Fixture : public mcp::Service {
public:
    explicit Fixture(boost::asio::any_io_executor executor);

    std::string instructions() override { return "A fixture for tests."; }
    std::vector<mcp::Tool> tools() override;
    Answer call_tool(mcp::CallContext context, std::string name, std::string arguments) override;
    std::vector<mcp::Resource> resources(const std::string& client) override;
    boost::asio::awaitable<std::optional<mcp::ResourceContent>> read_resource(std::string client,
                                                                              std::string uri) override;
    void client_gone(const std::string& client) override;

    void extend(mcp::MethodTable& table);
    static mcp::ServerDescription description();

    /// Set by main: tells those who listen that the list of tools, or of prompts, has changed.
    std::function<void(std::string_view method)> publish = [](std::string_view) {};

private:
    Answer call(mcp::Request request);

    boost::asio::any_io_executor executor_;
    Tools tools_;
};

// One file each.
void add_plain_tools(Tools& tools, boost::asio::any_io_executor executor);
void add_asking_tools(Tools& tools);
void add_input_tools(Tools& tools);
void add_prompts(mcp::MethodTable& table);

// Small helpers.
mcp::Tool tool(const std::string& name, const std::string& description,
               const std::string& schema = R"({"type":"object"})");
std::string text_result(const std::string& text, bool is_error = false);
/// The JSON text of a member of params, or of params.arguments; "" where it is not there.
std::string param(const mcp::Request& request, std::string_view key);
std::string argument(const mcp::Request& request, std::string_view key);
/// The same where it is a string.
std::string string_argument(const mcp::Request& request, std::string_view key);
boost::asio::awaitable<void> pause(boost::asio::any_io_executor executor, std::chrono::milliseconds time);
/// The client declared a capability, in whichever era.
bool declares(const mcp::Request& request, std::string_view capability);

extern const std::string png; ///< One pixel, base64.
extern const std::string wav; ///< Silence, base64.

} // namespace fixture
