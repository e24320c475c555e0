#include "src/mcp/client_life.h"
#include "src/mcp/client_stdio.h"

namespace mcp {

std::unique_ptr<ClientChannel> connect_by_transport(const boost::asio::any_io_executor& executor,
                                                    const ClientSpec& spec) {
    if (spec.transport == ClientSpec::Transport::stdio)
        return std::make_unique<StdioClientChannel>(executor, spec);
    throw jsonrpc::Error(jsonrpc::code::internal_error, "HTTP is not there yet");
}

} // namespace mcp
