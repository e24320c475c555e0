#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "src/jsonrpc/fd_channel.h"

namespace jsonrpc {

/// Opens /dev/null on each of the descriptors 0, 1 and 2 that is missing, so that nothing else comes to lie
/// there. First thing in main.
void fill_standard_descriptors();

/// Takes stdin and stdout for the protocol: the channel gets copies of them, then 0 becomes /dev/null and 1
/// becomes stderr, so that whatever a library or a child prints cannot reach the peer. Once per process.
/// Throws std::system_error.
std::unique_ptr<FdChannel> take_stdio(boost::asio::any_io_executor executor, FdChannel::Options options);

} // namespace jsonrpc
