// conformance_fixture [--stdio | --port N] [--token T] [--cert FILE --key FILE]: the fixture of the
// conformance suite on our server library. On HTTP it prints its port and serves until SIGTERM.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "src/jsonrpc/stdio.h"
#include "src/mcp/http/server.h"
#include "src/mcp/server/server.h"
#include "src/mcp/server/subscriptions.h"
#include "tests/fakes/fixture.h"

namespace asio = boost::asio;

namespace {

void log(const std::string& what) { std::fprintf(stderr, "fixture: %s\n", what.c_str()); }

template <class Server>
void run(asio::io_context& loop, fixture::Fixture& service, Server& server, asio::awaitable<void> work) {
    service.publish = [&](std::string_view method) { server.subscriptions().publish(method); };
    asio::signal_set signals(loop, SIGINT, SIGTERM);
    signals.async_wait([&](boost::system::error_code error, int) {
        if (!error) server.stop();
    });
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr failure) {
        signals.cancel();
        if (failure) std::rethrow_exception(failure);
    });
    loop.run();
}

// What was answered last must be out before the channel closes.
asio::awaitable<void> serve(mcp::Server& server, jsonrpc::FdChannel& channel) {
    co_await server.run();
    co_await channel.flushed(std::chrono::seconds(2));
    channel.close();
}

void serve_stdio(asio::io_context& loop, fixture::Fixture& service) {
    const auto channel = jsonrpc::take_stdio(loop.get_executor(), {});
    mcp::Server::Options options;
    options.description = fixture::Fixture::description();
    options.extend = [&](mcp::MethodTable& table) { service.extend(table); };
    options.log = log;
    mcp::Server server(loop.get_executor(), *channel, service, std::move(options));
    run(loop, service, server, serve(server, *channel));
}

void serve_http(asio::io_context& loop, fixture::Fixture& service,
                std::map<std::string, std::string>& flags) {
    mcp::HttpServer::Options options;
    options.front.description = fixture::Fixture::description();
    options.front.gate.token = flags["--token"];
    options.front.log = log;
    options.port = static_cast<std::uint16_t>(std::stoi("0" + flags["--port"]));
    options.certificate_file = flags["--cert"];
    options.key_file = flags["--key"];
    options.extend = [&](mcp::MethodTable& table) { service.extend(table); };
    mcp::HttpServer server(loop.get_executor(), service, std::move(options));
    std::printf("%d\n", server.listen());
    std::fflush(stdout);
    run(loop, service, server, server.run());
}

} // namespace

int main(int argc, char** argv) try {
    std::signal(SIGPIPE, SIG_IGN);
    std::map<std::string, std::string> flags;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        flags[name] = name != "--stdio" && i + 1 < argc ? argv[++i] : "";
    }
    asio::io_context loop(1);
    fixture::Fixture service(loop.get_executor());
    if (flags.contains("--stdio"))
        serve_stdio(loop, service);
    else
        serve_http(loop, service, flags);
    return 0;
} catch (const std::exception& e) {
    log(e.what());
    return 1;
}
