#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <unistd.h>

#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/log.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/jsonrpc/stdio.h"
#include "src/mcp/server/server.h"

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

namespace {

// Somebody typed it, and would wait for ever.
void explain_to_a_person() {
    std::error_code unknown;
    const std::string own = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
    const std::string program = unknown ? "/path/to/cordon" : own;
    tell("this is an MCP server: it waits here for a client's JSON, and Ctrl-C ends it.\n"
         "  a client that starts it: claude mcp add --scope user cordon -- " +
         Shown::line(program) +
         " serve\n"
         "  to try it by hand:       cordon exec -c 'print(6 * 7)'\n"
         "  to see what is there:    cordon doctor");
}

} // namespace

int serve(const Options& options) {
    if (!options.http.empty()) return serve_http(options);
    const bool by_hand = ::isatty(STDIN_FILENO) == 1;
    asio::io_context loop(1); // first, so that it is destroyed last
    const std::unique_ptr<jsonrpc::FdChannel> channel =
        jsonrpc::take_stdio(loop.get_executor(), jsonrpc::FdChannel::Options());
    App app(loop, options.settings, own_environment());
    app.log_configuration();
    app.log_policy();
    bridge::Service service(app.parts(), app.service_options());
    mcp::Server::Options server_options;
    server_options.log = [](const std::string& line) { log_info("client: " + Shown::line(line)); };
    server_options.drain_limit = 2s;
    server_options.workers = app.workers();
    mcp::Server server(loop.get_executor(), *channel, service, std::move(server_options));
    StopWatch watch(loop, [&](const char* why) {
        log_info("stopping: " + Shown::line(why));
        server.stop();
        app.stop_code();
    });
    if (by_hand) explain_to_a_person(); // a signal is heard from now on
    asio::co_spawn(loop, watch_output(channel.get(), &server), asio::detached);
    return run_to_end(loop, serve_stdio(&app, &server, channel.get()), &watch);
}

} // namespace cli
