#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/run_loop.h"
#include "src/jsonrpc/stdio.h"
#include "src/mcp/server.h"

namespace cli {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A client that no longer reads cannot be served: it has gone.
asio::awaitable<void> watch_output(jsonrpc::FdChannel* channel, mcp::Server* server) {
    co_await channel->closed();
    server->stop();
}

asio::awaitable<int> serve_stdio(App* app, mcp::Server* server, jsonrpc::FdChannel* channel) {
    co_await server->run();
    app->stop_code();
    co_await channel->flushed(1s);
    channel->close();
    co_await app->shut_down();
    co_return 0;
}

} // namespace

int serve(const Options& options) {
    if (!options.http.empty()) return serve_http(options);
    asio::io_context loop(1); // first, so that it is destroyed last
    const std::unique_ptr<jsonrpc::FdChannel> channel =
        jsonrpc::take_stdio(loop.get_executor(), jsonrpc::FdChannel::Options());
    App app(loop, options.settings, own_environment());
    app.log_configuration();
    bridge::Service service(app.parts(), app.service_options());
    mcp::Server::Options server_options;
    server_options.log = [](const std::string& line) { spdlog::info("client: {}", line); };
    server_options.drain_limit = 2s;
    mcp::Server server(loop.get_executor(), *channel, service, std::move(server_options));
    StopWatch watch(loop, [&](const char* why) {
        spdlog::info("stopping: {}", why);
        server.stop();
        app.stop_code();
    });
    asio::co_spawn(loop, watch_output(channel.get(), &server), asio::detached);
    return run_to_end(loop, serve_stdio(&app, &server, channel.get()), &watch);
}

} // namespace cli
