#include "src/mcp/client/stdio.h"

namespace mcp {
namespace {

jsonrpc::FdChannel::Options channel_options(const ClientSpec& spec,
                                            const std::shared_ptr<jsonrpc::LineSplitter::BoundOf>& bound) {
    jsonrpc::FdChannel::Options options;
    options.most_line = spec.most_message;
    options.bound_of = [bound, most = spec.most_message](std::string_view head) {
        return *bound ? (*bound)(head) : most;
    };
    options.most_queued = std::size_t{128} << 20; // arguments of many calls at once
    return options;
}

} // namespace

StdioClientChannel::StdioClientChannel(boost::asio::any_io_executor executor, const ClientSpec& spec)
    : child_(std::move(executor), spec.launch, channel_options(spec, bound_)) {}

} // namespace mcp
