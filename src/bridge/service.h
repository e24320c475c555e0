#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "src/bridge/render.h"
#include "src/bridge/run_python.h"
#include "src/mcp/server/service.h"

namespace bridge {

struct ServiceOptions {
    RunLimits limits{};
    OutputMode output_mode = OutputMode::compact;
    bool always_load = true;           ///< Ask clients to show the tool without a search.
    std::function<void()> on_client{}; ///< A client has come, and its first call may follow.
};

/// What Cordon offers to an MCP client: run_python, the manual, and the files that code left. On the loop's
/// thread.
class Service : public mcp::Service {
public:
    Service(RunPythonParts parts, ServiceOptions options);

    std::string instructions() override;
    std::vector<mcp::Tool> tools() override;
    boost::asio::awaitable<std::string> call_tool(mcp::CallContext context, std::string name,
                                                  std::string arguments) override;
    std::vector<mcp::Resource> resources(const std::string& client) override;
    boost::asio::awaitable<std::optional<mcp::ResourceContent>> read_resource(std::string client,
                                                                              std::string uri) override;
    void client_came() override {
        if (options_.on_client) options_.on_client();
    }
    void client_gone(const std::string& client) override;

private:
    RunPythonParts parts_;
    ServiceOptions options_;
};

} // namespace bridge
