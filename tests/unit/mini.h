#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdlib>
#include <string>

#include "src/mcp/client/client.h"
#include "tests/unit/fakes_folder.h"

/// tests/fakes/mini.py in one of its modes, as an upstream server.
inline mcp::ClientSpec mini(const std::string& mode) {
    const std::filesystem::path script = fakes_folder() / "mini.py";
    mcp::ClientSpec spec;
    spec.name = mode;
    spec.launch =
        jsonrpc::Launch{{"python3", "-I", script.string(), mode},
                        {std::string("PATH=") + ::getenv("PATH"), std::string("HOME=") + ::getenv("HOME")}};
    return spec;
}

inline boost::asio::awaitable<int> started(mcp::Client& client) {
    co_await client.start();
    co_return 1;
}

inline boost::asio::awaitable<std::string> called(mcp::Client& client, std::string arguments,
                                                  mcp::CallOptions options) {
    const jsonrpc::Message answer = co_await client.call_tool("a", std::move(arguments), std::move(options));
    co_return std::string(answer.result());
}
