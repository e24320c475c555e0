#include "src/mcp/client/http.h"
#include "src/mcp/client/http_sse.h"
#include "src/mcp/client/life.h"
#include "src/mcp/client/stdio.h"

namespace mcp {

std::unique_ptr<ClientChannel> connect_by_transport(const boost::asio::any_io_executor& executor,
                                                    const ClientSpec& spec) {
    switch (spec.transport) {
    case ClientSpec::Transport::stdio:
        return std::make_unique<StdioClientChannel>(executor, spec);
    case ClientSpec::Transport::sse:
        return std::make_unique<HttpSseChannel>(executor, spec);
    case ClientSpec::Transport::http:
    case ClientSpec::Transport::http_or_sse:
        break;
    }
    return std::make_unique<HttpChannel>(executor, spec);
}

} // namespace mcp
